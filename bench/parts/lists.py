"""The list of a hundred thousand tasks, from nginx into the tables of a script, beside Python's requests and json."""

import json

from . import nginx
from .tools import Row, Setting, best, cost_of_one, peers_python

TASKS = 100_000
TIMES = 5
TITLE = f"tasks.list() of {TASKS:,} tasks, seconds"


def measure(setting: Setting) -> list[Row]:
    python = peers_python(setting)
    path = write_list(setting)
    with nginx.server(files=setting.folder) as url:
        commands = {
            "host": lambda times: [
                setting.binary, "--local", "--quiet", "--set", f"taskAPI={url}", "--set", f"tasksPath=/files/{path.name}",
                setting.root / "bench/lua/list.lua", times],
            "requests": lambda times: [
                python, setting.root / "bench/peers/list_requests.py", f"{url}/files/{path.name}", times],
        }
        seconds = best(setting.rounds, {
            name: lambda command=command: cost_of_one(command, [str(TASKS)], TIMES) for name, command in commands.items()}, min)
    ratio = seconds["requests"] / seconds["host"]
    return [
        Row("b2c-run, tasks.list()", f"{seconds['host']:.3f}"),
        Row("Python, requests and json", f"{seconds['requests']:.3f}", f"b2c-run takes 1/{ratio:.1f} of it (aim: less than 1/1)"),
    ]


def write_list(setting: Setting):
    """The list as a task API sends it."""
    path = setting.folder / f"tasks-{TASKS}.json"
    if not path.exists():
        texts = ["buy milk", 'read "Middlemarch"', "pack:\nsocks", "牛乳を買う", "plan the week ahead, and the one after it"]
        tasks = [
            {"Completed": number % 7 == 0, "DateModified": "2026-09-21T08:00:00Z", "Id": number,
             "Owner": "4f1b6f0e-4d1b-4f7a-a3c2-51e8d7b6f093", "Text": f"Task {number}: {texts[number % len(texts)]}"}
            for number in range(1, TASKS + 1)]
        path.write_text(json.dumps(tasks, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    return path
