"""Compares the reading of CSV files with one fault each with Python's csv and DuckDB."""

import json
import os
import subprocess
from pathlib import Path

from .tools import Row, Setting, Unavailable, output, peers_python

TITLE = "CSV files with one fault each: read right, wrong rows without a word, files that were stopped"
PEERS = {"python": "Python's csv.Sniffer", "duckdb": "DuckDB's read_csv"}


def measure(setting: Setting) -> list[Row]:
    folder = write_files(setting)
    own = json.loads((folder / "own.json").read_text())
    rows = [Row(
        "b2c-run", f"{own['right']:,} right",
        f"{own['wrong']} wrong rows, {own['stopped']} of {own['files']:,} stopped (aim: 0 and at most 20); "
        f"score {own['simple']:.2f}, weighted {own['weighted']:.2f} (aim: 9.85, 9.95)")]
    interpreter = peers_python(setting, duckdb="duckdb")
    for peer, name in PEERS.items():
        counts = json.loads(output([interpreter, setting.root / "bench/peers/polluted.py", peer, folder]))
        rows.append(Row(name, f"{counts['right']:,} right", f"{counts['wrong']:,} wrong rows, {counts['stopped']:,} stopped"))
    return rows


def write_files(setting: Setting) -> Path:
    """Makes the test of polluted files write them, with their truth and its own counts."""
    folder = setting.folder / "polluted"
    folder.mkdir(exist_ok=True)
    if not (folder / "own.json").exists():
        environment = {**os.environ, "POLLUTED": str(folder), "TESTS": "ImportFormats"}
        done = subprocess.run(
            ["swift", "test", "--disable-xctest", "--filter", "^ImportFormatsTests[.]PollutedFilesTests"],
            cwd=setting.root, env=environment, capture_output=True, text=True, check=False)
        if not (folder / "own.json").exists():
            raise Unavailable("the test of polluted files failed: " + "\n".join(done.stdout.splitlines()[-3:]))
    return folder
