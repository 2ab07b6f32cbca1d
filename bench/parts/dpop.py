"""Compares an import with DPoP, which signs a proof for each row, with one without."""

import tempfile
from pathlib import Path

from . import nginx
from .imports import IN_FLIGHT, write_rows
from .tools import Row, Setting, output

TITLE = "Import with a DPoP proof for each row, 64 in flight, against nginx answering 201, rows per second"


def measure(setting: Setting) -> list[Row]:
    rows = write_rows(setting)
    script = setting.root / "bench/lua/import_dpop.lua"
    best = [0.0, 0.0]
    with nginx.server() as url:
        for _ in range(setting.rounds):
            with tempfile.TemporaryDirectory(prefix="bench-import-") as folder:
                said = output([
                    setting.binary, "-A", "--local", "--quiet", "--set", f"taskAPI={url}", script, rows, IN_FLIGHT,
                    Path(folder) / "journal"])
            best = [max(before, float(rate)) for before, rate in zip(best, said.split())]
    return [
        Row("tasks.import with a bearer token", f"{best[0]:,.0f}"),
        Row("tasks.import with DPoP", f"{best[1]:,.0f}", f"{best[1] / best[0]:.2f} of it (aim: at least 0.5)"),
    ]
