"""Requests the list of tasks with requests a given number of times. Prints the number of tasks."""

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
