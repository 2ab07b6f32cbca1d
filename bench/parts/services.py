"""Measures imports into task services: batches of Microsoft To Do, and a CalDAV server."""

import json

from .tools import Row, Setting, output, program

TITLE = "Task services: imports by batches, and as fast as the server takes them"


def measure(setting: Setting) -> list[Row]:
    graph, caldav = run(setting, "microsoft", 1000), run(setting, "xandikos", 400)
    return [
        Row("Microsoft To Do (stand-in, 50 ms away), batches of 20", f"{graph['mine']:.0f} tasks/s",
            f"{graph['mine'] / graph['peer']:.1f} times one by one; aim: at least 5"),
        Row("the same, one request for each task", f"{graph['peer']:.0f} tasks/s"),
        Row("Xandikos, 4 requests at a time", f"{caldav['mine']:.0f} tasks/s",
            f"{caldav['mine'] / caldav['peer']:.2f} times the peer; {caldav['processor'] * 100:.1f} % of a core; aim: below 10 %"),
        Row("the same, http.client with 4 connections", f"{caldav['peer']:.0f} tasks/s"),
    ]


def run(setting: Setting, kind: str, rows: int) -> dict:
    if kind == "xandikos":
        program("xandikos", "xandikos")

    def rate(whose: str) -> dict:
        # Each has a separate server: one with many tasks is slower.
        inner = [setting.root / "bench/peers/task_services.py", setting.binary, kind, str(rows), whose]
        return json.loads(output(["python3", setting.root / "Tests/Services/with_server.py", kind, "python3", *inner]))

    mine, peer = rate("mine"), rate("peer")
    return {"mine": mine["rate"], "processor": mine["processor"], "peer": peer["rate"]}
