"""The part `jobs`: a server with one job whose due times pass while the clock of the server is moved on."""

import sqlite3
import subprocess
import time
from pathlib import Path

HOUR = 3_600_000
JOB = """\
local run = require("b2c").job { on = { every = "1h" }, catch_up = "all", overlap = "queue", pause_after = 0 }
run.state.count = (run.state.count or 0) + 1
print("run", run.state.count)
"""
# A run that fails, and one of a server that failed.
ENDS = ("ok after", "failed after", "interrupted")


class Server:
    """`b2c-run serve` in the folder of a fault. Its state is in `state`, the only folder with faults."""

    def __init__(self, ground, folder: Path, name: str, fault=None):
        self.log, self.clock = folder / f"{name}.log", folder / "clock"
        self.state = folder / "state"
        (folder / "jobs").mkdir(exist_ok=True)
        (folder / "jobs" / "tick.lua").write_text(JOB, encoding="utf-8")
        environment = ground.environment() | {"B2C_RUN_CLOCK": str(self.clock)}
        if fault:
            environment |= fault.environment(ground.library)
        command = [ground.binary, "--store", folder / "store", "serve", "jobs", "--state", self.state, "--drain", "5"]
        with open(self.log, "wb") as file:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdout=file, stderr=file, stdin=subprocess.DEVNULL, env=environment, cwd=folder)

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait(self, is_done, silence: float) -> None:
        """Waits until something holds, the server has ended, or it says nothing for so many seconds."""
        heard, said = time.monotonic(), ""
        while self.process.poll() is None and not is_done(self.said):
            if self.said != said:
                heard, said = time.monotonic(), self.said
            if time.monotonic() - heard > silence:
                return
            time.sleep(0.02)

    def move(self, hours: int) -> None:
        """Replaces the file at once, because the server may read it at any moment."""
        new = self.clock.with_suffix(".new")
        new.write_text(str(hours * 3600), encoding="utf-8")
        new.rename(self.clock)

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return -9


def serve(ground, folder: Path, fault) -> tuple[int, str]:
    """Three due times pass with the fault. Returns the status and the log."""
    (folder / "clock").write_text("0", encoding="utf-8")
    server = Server(ground, folder, "faulty", fault)
    try:
        server.wait(lambda said: "serving the jobs" in said, silence=30)
        server.move(3)
        server.wait(lambda said: sum(said.count(end) for end in ENDS) >= 3, silence=1.5)
    finally:
        status = server.end()
    return status, server.said


def serve_on(ground, folder: Path) -> str | None:
    """A server without faults goes on, and one more due time passes. Returns the broken promise; nil if all were kept."""
    server = Server(ground, folder, "good")
    try:
        server.wait(lambda said: "serving the jobs" in said and not is_running(server.state), silence=60)
        # A run that goes on meanwhile would take an hour.
        server.move(4)
        server.wait(lambda _: has_ended(server.state), silence=60)
    finally:
        status = server.end()
    if status != 0:
        return f"the next server ended with status {status}: {server.said}"
    problem = check(server.state)
    return f"{problem}: {server.said}" if problem else None


def rows(state: Path, sql: str) -> list[tuple]:
    database = sqlite3.connect(f"file:{state / 'jobs.db'}?mode=ro", uri=True, timeout=30)
    try:
        return database.execute(sql).fetchall()
    finally:
        database.close()


def has_ended(state: Path) -> bool:
    """True if the time that passed last has its run, and no run is open."""
    late = rows(state, "SELECT 1 FROM run WHERE due IS NOT NULL AND due > (SELECT MAX(created) FROM run) - 60000")
    return bool(late) and not is_running(state)


def is_running(state: Path) -> bool:
    return bool(rows(state, "SELECT 1 FROM run WHERE ended IS NULL"))


def check(state: Path) -> str | None:
    if rows(state, "PRAGMA integrity_check") != [("ok",)]:
        return "the database is damaged"
    anchor = rows(state, "SELECT anchor FROM trigger")[0][0]
    dues = [due for (due,) in rows(state, "SELECT due FROM run ORDER BY due")]
    if dues != [anchor + HOUR * (number + 1) for number in range(len(dues))] or not dues:
        return f"the due times are {dues}, from {anchor}"
    states = [found for (found,) in rows(state, "SELECT state FROM run")]
    count = int((rows(state, "SELECT json_extract(memory, '$.count') FROM job")[0][0]) or 0)
    if set(states) - {"ok", "failed", "interrupted"} or not states.count("ok") <= count <= len(states):
        return f"the runs are {states}, and the state of the job has {count}"
    return None
