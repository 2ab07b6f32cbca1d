"""Kills an import into a task service again and again: drill.py PROGRAM SERVICE ROWS KILLS, run by with_server.py.

ROWS are the rows of a file; there are as many files as the kills need. Prints the rows, the kills of imports under way, and how many
tasks are lost and doubled in the end. The program's secrets are set before.
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
    hits, parts, longest = 0, 0, 4.0
    command = [program, "--quiet", "--settings", settings, "import", "--progress", "none", "--settle-after", "0.3"]
    # An import that ends before its kill is followed by one of further rows, so that each kill hits one under way.
    while hits < kills:
        source = f"{folder}/rows-{parts}.csv"
        if not os.path.exists(source):
            with open(source, "w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(["Text", "Done"])
                for row in range(parts * rows, (parts + 1) * rows):
                    writer.writerow([f"task {row}", "x" if row % 4 == 0 else ""])
        started = time.time()
        run = subprocess.Popen([*command, source], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            run.wait(random.uniform(0.05, longest))
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.wait()
            hits += 1
            continue
        if run.returncode:
            sys.exit(f"seed {seed}: the import of {source} ended with {run.returncode}")
        longest = max(0.1, min(longest, (time.time() - started) * 0.8))
        parts += 1
    last = subprocess.run([*command, source], capture_output=True, text=True)
    rows *= parts + os.path.exists(f"{folder}/rows-{parts}.csv")
    exported = f"{folder}/out.json"
    subprocess.run([program, "--quiet", "--settings", settings, "export", exported], check=True)
    with open(exported) as file:
        tasks = json.load(file)
    counts = collections.Counter(task["text"] for task in tasks)
    lost = sum(1 for row in range(rows) if not counts[f"task {row}"])
    doubled = sum(count - 1 for count in counts.values())
    completed = {task["text"] for task in tasks if task["completed"]}
    open_ones = sum(1 for row in range(0, rows, 4) if f"task {row}" not in completed)
    print(f"seed {seed} rows {rows} kills {hits} lost {lost} doubled {doubled} not completed {open_ones}")
    if last.returncode or lost or doubled or open_ones:
        sys.exit(last.stdout + last.stderr)
