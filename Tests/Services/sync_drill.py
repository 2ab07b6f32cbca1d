"""Kills a sync of the local tenant with a task service again and again: sync_drill.py PROGRAM SERVICE ROWS KILLS, run by
with_server.py.

Each side has ROWS tasks of its own, with lists, and with parents where both sides keep them. Between the kills, tasks are renamed, and half lines are put at the end of the journal. Prints how
many tasks are lost and doubled in the end, and whether both sides are alike. The program's secrets are set before.
"""

import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile

program, kind, rows, kills = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
service = "caldav" if kind in ("radicale", "xandikos") else kind
options = {"url": os.environ["SERVICE_URL"]}
if service == "caldav":
    options["username"] = "alice"
if kind == "github":
    options["list"] = "alice/tasks"
if kind == "microsoft":
    # The account of the local tenant has no token for it.
    options["secret"] = "microsoft"
seed = random.randrange(1 << 30)
random.seed(seed)


def run(*words, **more):
    return subprocess.run([*base, *words], capture_output=True, text=True, check=True, **more).stdout


links = """
local b2c = require "b2c"
b2c.tenant.sign_in()
local tasks, at = b2c.tasks, { service = "%s" }
local by_number, kept, lists, all = {}, {}, {}, {}
for _, field in ipairs(tasks.fields { service = "%s" }.fields) do kept[field] = true end
"""
link = """
for _, task in ipairs(tasks.list(at)) do by_number[tonumber(task.text:match "%d+")] = task end
for number, task in pairs(by_number) do
  local parent, changes = by_number[number // 2], { list = LISTS and number % 3 == 0 and tasks.make_list("Garden", at).name or nil }
  if kept.parent and number > 0 and parent then changes.parent = tostring(parent.id) end
  if next(changes) then by_number[number] = tasks.update(task, changes, at) end
end
"""
tell = """
for _, list in ipairs(tasks.lists(at)) do lists[list.id] = not list.default and list.name or nil end
for _, task in ipairs(tasks.list(at)) do all[tostring(task.id)] = task end
for _, task in pairs(all) do
  local parent = kept.parent and task.parent and all[tostring(task.parent)]
  print(("%s|%s|%s"):format(task.text, parent and parent.text or "", LISTS and lists[task.list] or ""))
end
"""


def script(side, text):
    # Lists are compared only with a service that moves tasks alone, from any list to any other one.
    may_move = kind not in ("microsoft", "xandikos", "todoist")
    return sorted(run("-A", "-e", links % (side, service) + text.replace("LISTS", str(may_move).lower())).splitlines())


def tasks(*words):
    return json.loads(run("tasks", "list", "--json", *words))


with tempfile.TemporaryDirectory() as folder:
    with open(f"{folder}/settings.json", "w") as file:
        json.dump({"services": {service: options}}, file)
    base = [program, "--quiet", f"--local={folder}/data"]
    for name, value in options.items():
        base += ["--set", f"services.{service}.{name}={value}"]
    with open(f"{folder}/far.csv", "w") as file:
        file.write("Text\n" + "".join(f"far {row}\n" for row in range(rows)))
    run("import", f"{folder}/far.csv", "--service", service, "--progress", "none", "--journal", "none")
    run("tasks", "add", "-", input="".join(f"near {row}\n" for row in range(rows)))
    expected = {f"{side} {row}" for side in ("near", "far") for row in range(rows)}
    for side in ("tasks", service):
        script(side, link)
    journal = f"{folder}/home.sync"
    sync = [*base, "sync", "tasks", service, "--journal", journal, "--apply", "--make-lists"]
    longest, done = 1.0, 0
    for kill in range(kills):
        process = subprocess.Popen(sync, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(random.uniform(0.05, longest))
            longest = max(0.3, longest * 0.8)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            longest, done = min(8, longest * 1.2), done + 1
        if kill % 5 == 4:
            one = random.choice(tasks())
            run("tasks", "edit", str(one["id"]), f"{one['text']} again")
            expected.remove(one["text"])
            expected.add(f"{one['text']} again")
        if kill % 7 == 6 and os.path.exists(journal):
            with open(journal, "a") as file:
                file.write('{"a":"1","b":')
    last = subprocess.run(sync, capture_output=True, text=True)
    again = subprocess.run(sync, capture_output=True, text=True)
    near, far = tasks(), tasks("--service", service)
    linked = script("tasks", tell) == script(service, tell)
    counts = collections.Counter(task["text"] for task in near)
    lost = len(expected - counts.keys())
    doubled = sum(counts.values()) - len(counts)
    alike = counts == collections.Counter(task["text"] for task in far)
    print(f"seed {seed} tasks {len(near)} kills {done} lost {lost} doubled {doubled} alike {'yes' if alike and linked else 'no'}")
    quiet = again.stdout == "0 new, 0 changed, 0 removed, 0 conflicts, 0 failed\n"
    if last.returncode or again.returncode or lost or doubled or not alike or not linked or not quiet or set(counts) != expected:
        sys.exit(last.stdout + last.stderr + again.stdout + again.stderr + f"{sorted(set(counts) ^ expected)}")
