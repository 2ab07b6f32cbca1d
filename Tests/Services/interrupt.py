"""Interrupts an import into a CalDAV server once tasks are there: interrupt.py PROGRAM, run by with_server.py.

Each task on the server has to be told as added or as unsettled, and the next run has to settle the rest. The program's secrets are
set before.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

program, rows = sys.argv[1], 300
with tempfile.TemporaryDirectory() as folder:
    with open(f"{folder}/settings.json", "w") as file:
        json.dump({"service": "caldav", "services": {"caldav": {"url": os.environ["SERVICE_URL"], "username": "alice"}}}, file)
    with open(f"{folder}/rows.csv", "w") as file:
        file.write("Text\n" + "".join(f"task {row}\n" for row in range(rows)))
    base = [program, "--quiet", "--settings", f"{folder}/settings.json"]
    command = [*base, "import", f"{folder}/rows.csv", "--progress", "none", "--settle-after", "0.1", "--report", f"{folder}/report.json"]

    def there():
        return len(json.loads(subprocess.run([*base, "tasks", "list", "--json"], capture_output=True, check=True).stdout))

    def report():
        with open(f"{folder}/report.json") as file:
            return json.load(file)["rows"]

    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while there() < 5:
        time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    status, told, found = run.wait(), report(), there()
    print(f"status {status} added {told['added']} unsettled {told['unsettled']} unsent {told['unsent']} there {found}")
    assert status == 130 and told["added"] <= found <= told["added"] + told["unsettled"] < rows
    assert told["added"] + told["unsettled"] + told["unsent"] <= rows
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode == 0 and report()["added"] == rows == there(), again.stderr
print("all hold")
