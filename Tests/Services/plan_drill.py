"""Kills the application of a plan and its undo again and again, with edits of others before each:
plan_drill.py PROGRAM SERVICE ROWS KILLS [EDITS [SEED]], run by with_server.py.

SERVICE is one of with_server.py, or `tasks`, the task API of a local tenant in a process of its own. A first list makes 6 of 10
rows. The second one leaves some of them, changes some, and adds others. Between plan and application, and between application and
undo, others make EDITS edits: they change, complete and remove tasks, and take keys. The program speaks with the service through
a proxy, which kills it KILLS times in each of the two at a write, before or after the service has done it, or at any moment.

Counts blind writes (without If-Match, or, where a service has no versions, without a read before), edits of others that are lost,
tasks that are left over, doubled or wrong, and rows whose outcome is not the one that follows. The program's secrets are set before.
"""

import collections
import csv
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from plan_proxy import Proxy

OTHERS = """
local b2c = require "b2c"
local tasks, by_key = b2c.tasks, {}
local file <close> = assert(io.open(b2c.args[1]))
local edits = b2c.json.decode(file:read "a")
for _, task in ipairs(tasks.list()) do if task.key then by_key[task.key] = task end end
for _, edit in ipairs(edits) do
  local task = by_key[edit.key]
  if edit.kind == "take" then tasks.add { text = "of others", key = edit.key }
  elseif edit.kind == "remove" then tasks.remove(task)
  elseif edit.kind == "complete" then tasks.complete(task)
  else tasks.update(task, { [edit.kind] = "of others" }) end
end
"""

program, kind, rows, kills = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
edits = int(sys.argv[5]) if len(sys.argv) > 5 else max(20, rows // 50)
seed = int(sys.argv[6]) if len(sys.argv) > 6 else random.randrange(1 << 30)
random.seed(seed)
columns = ["Nr", "Title", "Notes", "Due"]
old_rows = range(1, rows * 6 // 10 + 1)
all_rows = range(1, rows + 1)


def first(row):
    """The row of the first list. Some titles are there several times."""
    return {"Nr": f"K-{row}", "Title": f"Task {row // 3}", "Notes": f"notes {row}" if row % 5 else "", "Due": f"2027-03-{row % 28 + 1:02}"}


def second(row):
    changed = first(row)
    if row in old_rows and row % 3 == 0:
        changed.update({"Title": f"Task {row // 3}, changed"} if row % 2 else {"Notes": f"other notes {row}", "Due": "2027-04-30"})
    return changed


def task_of(row):
    return {"text": row["Title"], "notes": row["Notes"] or None, "due": row["Due"], "completed": False}


def write(path, lines):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(lines)


def edited(task, edit):
    """The task of others' edit; None for one that is gone."""
    if edit == "remove":
        return None
    if edit == "take":
        return {"text": "of others", "notes": None, "due": None, "completed": False}
    return {**task, **({"completed": True} if edit == "complete" else {edit: "of others"})}


class Drill:
    def __init__(self, folder, service):
        self.folder, self.problems = folder, []
        self.proxy = Proxy(kind, service["url"])
        # The settings of a tenant are in the file of its folder.
        command = [program, "--quiet", "--set", *service["set"]]
        self.direct, self.proxied = ([*command[:-1], f"{command[-1]}={url}"] for url in (service["url"], self.proxy.url))

    def problem(self, text):
        self.problems.append(text)

    def run(self, command, *statuses):
        result = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
        if result.returncode not in statuses:
            sys.exit(f"seed {seed}: {command} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
        return result.stdout

    def others(self, edits):
        with open(f"{self.folder}/edits.json", "w") as file:
            json.dump([{"key": f"K-{row}", "kind": edit} for row, edit in edits.items()], file)
        with open(f"{self.folder}/others.lua", "w") as file:
            file.write(OTHERS)
        self.run([*self.direct, "-A", "others.lua", "edits.json"], 0)

    def killed(self, command, writes, status):
        """Runs a command until it ends by itself. Returns the number of kills."""
        hits = 0
        while True:
            with open(f"{self.folder}/out", "w+") as out:
                process = subprocess.Popen(command, stdout=out, stderr=out, cwd=self.folder)
                at_any_moment = hits < kills and hits % 5 == 4
                at_write = random.randint(1, max(1, writes * 8 // (5 * (kills + 1))))
                self.proxy.watch(process, at_write if hits < kills and not at_any_moment else None, random.random() < 0.5)
                if at_any_moment:
                    try:
                        process.wait(random.uniform(0.02, 1.5))
                    except subprocess.TimeoutExpired:
                        self.proxy.kill()
                process.wait()
                if self.proxy.was_killed:
                    hits += 1
                    continue
                if process.returncode != status:
                    out.seek(0)
                    sys.exit(f"seed {seed}: {command} ended with {process.returncode}, expected {status}:\n{out.read()}")
                return hits

    def check_tasks(self, expected, edits, after):
        """Compares the tasks of the service. Returns how many edits are lost, tasks left over and doubled."""
        self.run([*self.direct, "export", "out.json"], 0)
        with open(f"{self.folder}/out.json") as file:
            found = collections.defaultdict(list)
            for task in json.load(file):
                found[task.get("key")].append({name: task.get(name) for name in ("text", "notes", "due", "completed")})
        lost = left = doubled = 0
        for row in all_rows:
            tasks, wanted = found.pop(f"K-{row}", []), expected[row]
            if len(tasks) > 1:
                doubled += len(tasks) - 1
                self.problem(f"row {row} after {after} is there {len(tasks)} times")
            if (tasks[0] if tasks else None) == wanted:
                continue
            if row in edits:
                lost += 1
            elif wanted is None:
                left += 1
            self.problem(f"row {row} after {after} ({edits.get(row, 'no edit')}): expected {wanted}, found {tasks}")
        left += sum(map(len, found.values()))
        for key, tasks in found.items():
            self.problem(f"{after} left {key}: {tasks}")
        return lost, left, doubled

    def check_outcomes(self, found, expected, what):
        """`found` has pairs of row and outcome; `expected` the outcomes that a row may have, None among them if it may be missing."""
        counts = collections.Counter(row for row, _ in found)
        outcomes = dict(found)
        for row in all_rows:
            if counts[row] > 1 or outcomes.get(row) not in expected[row]:
                self.problem(f"row {row} in {what}: expected {expected[row]}, found {counts[row]} times, {outcomes.get(row)}")


def sample(groups):
    """Rows with edits: each group has a share of all edits, its rows, and the kinds of its edits."""
    chosen = {}
    for share, candidates, kinds in groups:
        for row in random.sample(candidates, min(len(candidates) // 2, edits * share // 100)):
            chosen[row] = random.choice(kinds)
    return chosen


def drill(folder, service):
    test = Drill(folder, service)
    if "sign_in" in service:
        test.run([*test.direct, "-A", "-e", service["sign_in"]], 0)
    importing = [*test.proxied, "import"]
    write(f"{folder}/first.csv", map(first, old_rows))
    write(f"{folder}/second.csv", map(second, all_rows))
    test.run([*importing, "first.csv", "--key", "Nr", "--plan", "first.json"], 0)
    test.run([*importing, "--apply", "first.json"], 0)
    state = {row: task_of(first(row)) if row in old_rows else None for row in all_rows}
    test.check_tasks(state, {}, "the first list")
    test.run([*importing, "second.csv", "--key", "Nr", "--plan", "p.json"], 0)
    changed = [row for row in old_rows if first(row) != second(row)]
    same = [row for row in old_rows if first(row) == second(row)]
    new = [row for row in all_rows if row not in old_rows]

    any_edit = ["notes", "text", "complete", "remove"]
    early = sample([(50, changed, any_edit), (25, same, any_edit), (25, new, ["take"])])
    test.others(early)
    apply_kills = test.killed([*importing, "--apply", "p.json", "--receipt", "r.csv", "--report", "j.json"], len(changed) + len(new), 5)
    for row in all_rows:
        state[row] = edited(state[row], early[row]) if row in early else task_of(second(row))
    totals = [test.check_tasks(state, early, "the application")]
    outcomes = {row: {"created" if row in new else "changed" if row in changed else "same"} for row in all_rows}
    for row in early:
        outcomes[row] = {"same", "conflict"} if row in same else {"conflict"}
    with open(f"{folder}/r.csv", newline="") as file:
        receipt = list(csv.DictReader(file))
    with open(f"{folder}/j.json") as file:
        report = json.load(file)
    wanted = [second(row) for row in all_rows]
    if [{name: line[name] for name in columns} for line in receipt] != wanted:
        test.problem("the receipt has not the rows of the list, in their order")
    test.check_outcomes([(int(line["_row"]), line["_outcome"]) for line in receipt], outcomes, "the receipt")
    test.check_outcomes([(row["row"], row["outcome"]) for row in report["rows"]], outcomes, "the report")
    if sum(report["counts"].values()) != rows:
        test.problem(f"the counts of the report are not those of {rows} rows: {report['counts']}")

    free = {name: [row for row in group if row not in early] for name, group in (("new", new), ("changed", changed), ("same", same))}
    late = sample([(50, free["new"], any_edit), (35, free["changed"], any_edit), (15, free["same"], any_edit)])
    test.others(late)
    undo = [*test.proxied, "imports", "undo", report["id"], "--apply", "--report", "u.json"]
    undo_kills = test.killed(undo, len(free["new"]) + len(free["changed"]), 5)
    outcomes = {row: {None} if row in early or row in same else {"reversed"} for row in all_rows}
    for row in all_rows:
        if row in late:
            state[row] = edited(state[row], late[row])
            outcomes[row] = {None} if row in same else {"gone"} if late[row] == "remove" else {"kept"}
        elif row not in early:
            state[row] = task_of(first(row)) if row in old_rows else None
    totals.append(test.check_tasks(state, {**early, **late}, "the undo"))
    with open(f"{folder}/u.json") as file:
        test.check_outcomes([(row["row"], row["outcome"]) for row in json.load(file)["rows"]], outcomes, "the report of the undo")

    blind = test.proxy.blind()
    lost, left, doubled = map(sum, zip(*totals))
    print(f"seed {seed} rows {rows} edits {len(early)} and {len(late)} kills {apply_kills} and {undo_kills} blind {len(blind)} "
          f"lost {lost} left {left} doubled {doubled} problems {len(test.problems)}")
    if blind or test.problems:
        sys.exit("\n".join([f"blind: {blind[:5]}"] * bool(blind) + test.problems[:20]))


def tenant(folder):
    """A tenant in a process of its own, and the service that it is."""
    process = subprocess.Popen([program, "--quiet", "tenant"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder)
    settings = ""
    while not settings.endswith("</plist>\n"):
        settings += process.stdout.readline() or sys.exit("the tenant does not start")
    with open(f"{folder}/settings.plist", "w") as file:
        file.write(settings)
    url = re.search("<key>taskAPI</key>\\s*<string>([^<]*)", settings)[1]
    return process, {"url": url, "set": ["taskAPI"],
                     "sign_in": 'require "b2c".accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }'}


with tempfile.TemporaryDirectory() as folder:
    if kind == "tasks":
        server, service = tenant(folder)
        try:
            drill(folder, service)
        finally:
            server.terminate()
            server.wait()
    else:
        name = "caldav" if kind in ("radicale", "xandikos") else kind
        user = ["services.caldav.username=alice", "--set"] if name == "caldav" else []
        drill(folder, {"url": os.environ["SERVICE_URL"], "set": [f"service={name}", "--set", *user, f"services.{name}.url"]})
