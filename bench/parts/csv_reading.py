"""Compares reading and checking CSV rows with Python's csv module."""

import sys
from dataclasses import replace

from .imports import write_rows
from .tools import Row, Setting, processor_time, seconds_by_count

TITLE = "CSV reading alone, MB per second of one core"
LINES = 1_000_000
TIMES = 4


def measure(setting: Setting) -> list[Row]:
    rows = []
    for what, path in ("short rows, as the import's", write_rows(replace(setting, rows=LINES))), ("rows with notes", write_notes(setting)):
        seconds = seconds_by_count(setting.rounds, {
            "host": lambda times: [setting.binary, "-A", "--quiet", setting.root / "bench/lua/csv_count.lua", path, times],
            "python": lambda times: [sys.executable, setting.root / "bench/peers/csv_count.py", path, times],
        }, str(LINES), (0, TIMES), processor_time)
        host, peer = (
            path.stat().st_size / 1e6 * TIMES / (seconds[name, TIMES] - seconds[name, 0]) for name in ("host", "python"))
        rows += [
            Row(f"b2c-run, {what}", f"{host:,.0f}", "aim: at least 300"),
            Row(f"Python's csv, {what}", f"{peer:,.0f}", f"b2c-run does {host / peer:.1f} times as many"),
        ]
    return rows


def write_notes(setting: Setting):
    """Writes a CSV file like an export of a task list: several columns, one of them with sentences."""
    path = setting.folder / f"notes-{LINES}.csv"
    if not path.exists():
        texts = ["Buy milk", '"Call Ann, Bob and Eve"', '"Read ""Middlemarch"""', "牛乳を買う", "Plan the week ahead"]
        notes = ["", '"Before nine, and not on a Monday if it can be helped"', '"She said: ""whenever you like"", which is good to know"']
        with open(path, "w", encoding="utf-8") as file:
            file.write("Id,Title,List,Created,Due,Notes,Done\n")
            for number in range(LINES):
                file.write(
                    f"{number},{texts[number % len(texts)]},Home and garden,2026-09-{number % 28 + 1:02}T08:00:00Z,"
                    f"2026-10-{number % 31 + 1:02},{notes[number % len(notes)]},{'yes' if number % 3 else 'no'}\n")
    return path
