"""Measures a dry run: each row is read, mapped and checked, and none is sent."""

import time
from dataclasses import replace

from .imports import write_rows
from .tools import Row, Setting, best, output

TITLE = "A dry run, MB per second of a file"
ROWS = 1_000_000


def measure(setting: Setting) -> list[Row]:
    path = write_rows(replace(setting, rows=ROWS))
    few = write_rows(replace(setting, rows=10))

    def seconds(file) -> float:
        start = time.perf_counter()
        output([setting.binary, "-A", "--quiet", "--local", "import", file, "--dry-run"])
        return time.perf_counter() - start

    times = best(setting.rounds, {"many": lambda: seconds(path), "few": lambda: seconds(few)}, min)
    rate = path.stat().st_size / 1e6 / (times["many"] - times["few"])
    return [Row(f"{ROWS:,} rows, {path.stat().st_size / 1e6:,.0f} MB", f"{rate:,.0f}", "aim: at least 150")]
