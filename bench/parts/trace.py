"""Measures an import of 20,000 rows with and without a trace, and the size of the trace."""

import tempfile
from dataclasses import replace
from pathlib import Path

from . import nginx
from .imports import IN_FLIGHT, write_rows
from .tools import Row, Setting, best, output

ROWS = 20_000
TITLE = f"Import of {ROWS:,} rows against nginx answering 201, with and without --trace"


def measure(setting: Setting) -> list[Row]:
    rows = write_rows(replace(setting, rows=ROWS))
    size = 0

    with nginx.server() as url:

        def seconds(*options: object) -> float:
            nonlocal size
            with tempfile.TemporaryDirectory(prefix="bench-trace-") as folder:
                trace = Path(folder) / "trace.json"
                count, seconds, memory = output([
                    setting.binary, "-A", "--local", "--quiet", "--set", f"taskAPI={url}",
                    *(["--trace", trace] if options else []), setting.root / "bench/lua/import_scale.lua", rows, IN_FLIGHT,
                    Path(folder) / "journal"]).split()
                if options:
                    size = trace.stat().st_size
                memories[bool(options)] = max(memories[bool(options)], int(memory))
                assert int(count) == ROWS
                return float(seconds)

        memories = {False: 0, True: 0}
        times = best(max(setting.rounds, 7), {"off": seconds, "on": lambda: seconds("trace")}, min)
    return [
        Row("without, s", f"{times['off']:.3f}"),
        Row("with --trace FILE.json, s", f"{times['on']:.3f}", f"{times['on'] / times['off']:.2f} times as long (aim: at most 1.1)"),
        Row("memory without and with it, MiB", f"{memories[False] / 1024:.1f}, {memories[True] / 1024:.1f}"),
        Row("size of the trace, KiB", f"{size / 1024:.0f}"),
    ]
