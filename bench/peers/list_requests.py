"""The list of tasks as one would ask for it with requests: so many times. Prints how many tasks it had."""

import sys

import requests

address, times = sys.argv[1], int(sys.argv[2])
with requests.Session() as session:
    session.headers.update({"Accept": "application/json", "Authorization": "Bearer " + "x" * 800})
    for _ in range(times):
        response = session.get(address)
        response.raise_for_status()
        tasks = response.json()
        assert tasks[-1]["Text"].startswith("Task"), "the list is not what the server has"
        print(len(tasks))
