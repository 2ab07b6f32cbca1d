"""Measures an import of many rows with a journal: the time for a row at two sizes, the memory of a long import, and the
time until the first request when the import was done before and the file has grown."""

import itertools
import shutil
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from . import nginx
from .imports import IN_FLIGHT, write_rows
from .tools import Row, Setting, best, free_port, output

FEW, MANY = 10_000, 1_000_000
TITLE = f"Import with the journal, {FEW:,} and {MANY:,} rows, against nginx answering 201"


def measure(setting: Setting) -> list[Row]:
    few, many = (write_rows(replace(setting, rows=rows)) for rows in (FEW, MANY))
    with tempfile.TemporaryDirectory(prefix="bench-scale-") as folder:
        run = Import(setting, Path(folder))
        with nginx.server(port=run.port):
            cost = best(setting.rounds, {"few": lambda: run.cost(few)}, min)
            cost |= best(min(setting.rounds, 2), {"many": lambda: run.cost(many)}, min)
        seconds = best(setting.rounds, {"first": run.seconds_to_first_request}, min)["first"]
    ratio = cost["many"] / cost["few"]
    return [
        Row(f"a row of {FEW:,}, µs", f"{cost['few'] * 1e6:.1f}"),
        Row(f"a row of {MANY:,}, µs", f"{cost['many'] * 1e6:.1f}", f"{ratio:.2f} times as much (aim: at most 1.2)"),
        Row(f"most memory with {MANY:,}, MiB", f"{run.memory / 1024:.1f}", "aim: at most 64"),
        Row(f"first request after {MANY:,} rows done before, s", f"{seconds:.2f}", "aim: at most 1"),
    ]


class Import:
    """One repeated command: the path, account and API stay the same, so that an import can resume from its journal."""

    def __init__(self, setting: Setting, folder: Path):
        self.setting, self.folder = setting, folder
        self.port = free_port()
        self.rows, self.journal = folder / "rows.csv", folder / "journal"
        self.memory = 0

    def cost(self, rows: Path) -> float:
        """Returns the seconds for each row of an import that starts from the beginning."""
        for path in self.folder.glob("journal*"):
            path.unlink()
        shutil.copyfile(rows, self.rows)
        return self.go_on()

    def seconds_to_first_request(self) -> float:
        """Returns the seconds before the first request of an import that resumes with a longer file."""
        with open(self.rows, "a", encoding="utf-8") as file:
            file.write("Water the plants,0,home\n" * 100)
        with Watcher.on(self.port) as watcher:
            self.go_on()
            return watcher.first_request - watcher.begin

    def go_on(self) -> float:
        count, seconds, memory = output([
            self.setting.binary, "-A", f"--local={self.folder / 'tenant'}", "--store", self.folder / "store", "--quiet",
            "--set", f"taskAPI=http://127.0.0.1:{self.port}", self.setting.root / "bench/lua/import_scale.lua",
            self.rows, IN_FLIGHT, self.journal]).split()
        self.memory = max(self.memory, int(memory))
        return float(seconds) / float(count)


class Watcher(BaseHTTPRequestHandler):
    """A task API that records the time of its first request."""

    protocol_version = "HTTP/1.1"
    begin = first_request = 0.0
    numbers = itertools.count(1)

    @classmethod
    @contextmanager
    def on(cls, port: int):
        cls.begin = cls.first_request = 0.0
        server = ThreadingHTTPServer(("127.0.0.1", port), cls)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield cls
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def do_GET(self) -> None:
        if self.path == "/begin":
            Watcher.begin = time.perf_counter()
        self.answer(200, b"[]")

    def do_POST(self) -> None:
        Watcher.first_request = Watcher.first_request or time.perf_counter()
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(201, b'{"Id":%d}' % next(Watcher.numbers))

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_) -> None:
        pass
