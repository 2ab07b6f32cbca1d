"""Kills an import into a task service again and again: drill.py PROGRAM SERVICE ROWS KILLS, run by with_server.py.

Prints the rows, the kills, and how many tasks are lost and doubled in the end. The program's secrets are set before.
"""

import collections
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

program, kind, rows, kills = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
caldav = kind in ("radicale", "xandikos")
options = {"url": os.environ["SERVICE_URL"]}
if caldav:
    options["username"] = "alice"
if kind == "github":
    options["list"] = "alice/tasks"
seed = random.randrange(1 << 30)
random.seed(seed)

with tempfile.TemporaryDirectory() as folder:
    settings = f"{folder}/settings.json"
    with open(settings, "w") as file:
        json.dump({"service": "caldav" if caldav else kind, "services": {"caldav" if caldav else kind: options}}, file)
    source = f"{folder}/rows.csv"
    with open(source, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Text", "Done"])
        for row in range(rows):
            writer.writerow([f"task {row}", "x" if row % 4 == 0 else ""])
    command = [program, "--quiet", "--settings", settings, "import", source, "--progress", "none", "--settle-after", "0.3"]
    done = 0
    longest = 4.0
    while done < kills:
        started = time.time()
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            run.wait(random.uniform(0.05, longest))
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.wait()
            done += 1
            continue
        # The import has ended before its kill: earlier kills from now on, and a few that hit nothing.
        longest = max(0.08, min(longest, (time.time() - started) * 0.8))
        done += 1
    last = subprocess.run(command, capture_output=True, text=True)
    exported = f"{folder}/out.json"
    subprocess.run([program, "--quiet", "--settings", settings, "export", exported], check=True)
    with open(exported) as file:
        tasks = json.load(file)
    counts = collections.Counter(task["text"] for task in tasks)
    lost = sum(1 for row in range(rows) if not counts[f"task {row}"])
    doubled = sum(count - 1 for count in counts.values())
    completed = {task["text"] for task in tasks if task["completed"]}
    open_ones = sum(1 for row in range(0, rows, 4) if f"task {row}" not in completed)
    print(f"seed {seed} rows {rows} kills {done} lost {lost} doubled {doubled} not completed {open_ones}")
    if last.returncode or lost or doubled or open_ones:
        sys.exit(last.stdout + last.stderr)
