"""Compares an import of many rows, with 64 concurrent requests, with other programs and the same server. Only b2c-run keeps
a journal and syncs each block of rows to the disk before it sends them."""

import re
import tempfile
from pathlib import Path

from . import nginx
from .tools import Row, Setting, best, output, peers_python, program

TITLE = "Import of the rows of a CSV file with a journal, 64 in flight, against nginx answering 201, rows per second"
IN_FLIGHT = 64


def measure(setting: Setting) -> list[Row]:
    rows = write_rows(setting)
    bench = setting.root / "bench"
    python = peers_python(setting)
    curl = setting.folder / "import_curl"
    output([program("cc", "gcc"), "-O2", "-o", curl, bench / "peers/import_curl.c", "-lcurl"])
    with nginx.server() as url:
        address = f"{url}/api/tasks"

        def wrk() -> float:
            said = output([
                program("wrk", "wrk"), "-t1", f"-c{IN_FLIGHT}", "-d2s", "-s", bench / "lua/post_rows.lua", address, "--", rows])
            return float(re.search(r"Requests/sec:\s+([\d.]+)", said).group(1))

        def rate(*command) -> float:
            count, seconds = output(list(command)).split()
            return float(count) / float(seconds)

        def host() -> float:
            with tempfile.TemporaryDirectory(prefix="bench-import-") as folder:
                return rate(
                    setting.binary, "-A", "--local", "--quiet", "--set", f"taskAPI={url}", bench / "lua/import.lua", rows, IN_FLIGHT,
                    Path(folder) / "journal")

        rates = best(setting.rounds, {
            "wrk": wrk,
            "host": host,
            "curl": lambda: rate(curl, rows, address, IN_FLIGHT),
            "node": lambda: rate(program("node", "nodejs"), bench / "peers/import_node.mjs", rows, address, IN_FLIGHT),
            "aiohttp": lambda: rate(python, bench / "peers/import_aiohttp.py", rows, address, IN_FLIGHT),
        })
    host = rates["host"]
    return [
        Row("wrk (C, sends only)", f"{rates['wrk']:,.0f}", f"b2c-run reaches {host / rates['wrk']:.2f} of it (aim: 0.6)"),
        Row("b2c-run, tasks.import", f"{host:,.0f}"),
        Row("libcurl alone, in C", f"{rates['curl']:,.0f}", f"b2c-run does {host / rates['curl']:.1f} times as many"),
        Row("node:http", f"{rates['node']:,.0f}", f"b2c-run does {host / rates['node']:.1f} times as many (aim: 6)"),
        Row("aiohttp", f"{rates['aiohttp']:,.0f}", f"b2c-run does {host / rates['aiohttp']:.1f} times as many (aim: 5)"),
    ]


def write_rows(setting: Setting):
    """Writes a typical CSV file: other columns, quoted commas, quotes, line breaks, other scripts."""
    path = setting.folder / f"rows-{setting.rows}.csv"
    if not path.exists():
        texts = ["Buy milk", '"Call Ann, Bob and Eve"', '"Read ""Middlemarch"""', '"Pack:\nsocks"', "牛乳を買う", "Plan the week ahead"]
        lines = [f"{texts[number % len(texts)]},{number},home" for number in range(setting.rows)]
        path.write_text("Text,Number,List\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path
