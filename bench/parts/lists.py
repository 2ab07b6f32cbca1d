"""Compares loading a list of a hundred thousand tasks from nginx into Lua tables with Python's requests and json."""

import json

from . import nginx
from .tools import Row, Setting, peers_python, seconds_by_count

TASKS = 100_000
FURTHER = 5
TITLE = f"tasks.list() of {TASKS:,} tasks, seconds"


def measure(setting: Setting) -> list[Row]:
    python = peers_python(setting)
    path = write_list(setting)
    with nginx.server(files=setting.folder) as url:
        address = f"{url}/files/{path.name}"
        seconds = seconds_by_count(setting.rounds, {
            # Both runs use the same data file, because the time to generate a key varies.
            "host": lambda times: [
                setting.binary, "-A", f"--local={setting.folder / 'tenant'}", "--store", setting.folder / "store", "--quiet",
                "--set", f"taskAPI={url}", "--set", f"tasksPath=/files/{path.name}", setting.root / "bench/lua/list.lua", times],
            "requests": lambda times: [python, setting.root / "bench/peers/list_requests.py", address, times],
        }, str(TASKS), (0, 1, 1 + FURTHER))
    rows = []
    for what, count, before in ("the first of a run", 1, 0), ("each further one", 1 + FURTHER, 1):
        host, peer = (
            (seconds[name, count] - seconds[name, before]) / (count - before) for name in ("host", "requests"))
        rows += [
            Row(f"b2c-run, tasks.list(), {what}", f"{host:.3f}"),
            Row(f"Python, requests and json, {what}", f"{peer:.3f}", f"b2c-run is {peer / host:.1f} times as fast (aim: more than 1)"),
        ]
    return rows


def write_list(setting: Setting):
    """Writes the list in the form of a task API."""
    path = setting.folder / f"tasks-{TASKS}.json"
    if not path.exists():
        texts = ["buy milk", 'read "Middlemarch"', "pack:\nsocks", "牛乳を買う", "plan the week ahead, and the one after it"]
        tasks = [
            {"Completed": number % 7 == 0, "DateModified": "2026-09-21T08:00:00Z", "Id": number,
             "Owner": "4f1b6f0e-4d1b-4f7a-a3c2-51e8d7b6f093", "Text": f"Task {number}: {texts[number % len(texts)]}"}
            for number in range(1, TASKS + 1)]
        path.write_text(json.dumps(tasks, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    return path
