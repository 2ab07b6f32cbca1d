"""Adds tasks to a task service and prints the seconds as JSON: with b2c-run, and by one request for each task.

task_services.py PROGRAM SERVICE ROWS mine|peer, run by Tests/Services/with_server.py.
"""

import csv
import http.client
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

program, kind, rows, whose = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
url = os.environ["SERVICE_URL"]
name = "microsoft" if kind == "microsoft" else "caldav"
place = urllib.parse.urlsplit(url)


def b2c_run(folder):
    environment = dict(os.environ, HOME=folder)
    subprocess.run([program, "--quiet", "secrets", "set", name], input=b"stand-in-token", env=environment, check=True)
    settings = {"service": name, "services": {name: {"url": url} | ({"username": "alice"} if name == "caldav" else {})}}
    with open(f"{folder}/settings.json", "w") as file:
        json.dump(settings, file)
    with open(f"{folder}/rows.csv", "w", newline="") as file:
        csv.writer(file).writerows([["Text", "Due"]] + [[f"task {row}", "2027-01-31"] for row in range(rows)])
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    subprocess.run([program, "--quiet", "--settings", f"{folder}/settings.json", "import", f"{folder}/rows.csv", "--progress", "none"],
                   stdout=subprocess.DEVNULL, env=environment, check=True)
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.time() - start
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def one_by_one(count):
    """Microsoft To Do: a request for each task, one after the other."""
    connection = http.client.HTTPConnection(place.hostname, place.port)
    start = time.time()
    for row in range(count):
        body = {"title": f"one {row}", "linkedResources": [{"externalId": f"one-{row}"}]}
        connection.request("POST", "/me/todo/lists/l1/tasks", json.dumps(body), {"Authorization": "Bearer stand-in-token"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 201, answer.status
    return time.time() - start


def put_all(count):
    """CalDAV: four connections, which send the same tasks as fast as the server takes them."""
    numbers, lock = iter(range(count)), threading.Lock()

    def work():
        connection = http.client.HTTPConnection(place.hostname, place.port)
        while True:
            with lock:
                row = next(numbers, None)
            if row is None:
                return
            text = ("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//bench//EN\r\nBEGIN:VTODO\r\n"
                    f"UID:one-{row}\r\nDTSTAMP:20270101T000000Z\r\nSUMMARY:one {row}\r\nDUE;VALUE=DATE:20270131\r\n"
                    "END:VTODO\r\nEND:VCALENDAR\r\n")
            connection.request("PUT", f"/alice/calendars/calendar/one-{row}.ics", text,
                               {"Content-Type": "text/calendar", "If-None-Match": "*"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status in (201, 204), answer.status

    threads = [threading.Thread(target=work) for _ in range(4)]
    start = time.time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.time() - start


if name == "microsoft":
    control = urllib.request.Request(f"{url}/_control", data=json.dumps({"travel": 0.05, "latency": 0.01}).encode())
    urllib.request.urlopen(control)
if whose == "mine":
    with tempfile.TemporaryDirectory() as home:
        seconds, processor = b2c_run(home)
    print(json.dumps({"rate": rows / seconds, "processor": processor / seconds}))
else:
    count = rows if name == "caldav" else max(1, rows // 10)
    print(json.dumps({"rate": count / (put_all if name == "caldav" else one_by_one)(count)}))
