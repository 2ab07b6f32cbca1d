"""Measures the job host: memory and time while idle, due times, webhooks, a long history."""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from .tools import Row, Setting, Unavailable, free_port, output, peers_python, program, running, wait_for_port

TITLE = "Jobs: the host while idle, at due times, at webhooks, with a long history"
JOBS = 1000
DUE = 500


def measure(setting: Setting) -> list[Row]:
    return idle(setting) + due(setting) + webhooks(setting) + history(setting)


# The host, in a separate folder


class Host:
    def __init__(self, setting: Setting, folder: Path, jobs: dict[str, str]):
        self.binary, self.folder = setting.binary, folder
        (folder / "jobs").mkdir()
        for name, text in jobs.items():
            (folder / "jobs" / f"{name}.lua").write_text(f'local run = require("b2c").job {text}\n')

    @contextmanager
    def serving(self, *options: str):
        command = ["/usr/bin/env", "-C", self.folder, self.binary, "serve", "--state", self.folder / "state", *options]
        with running(command) as (process, log):
            for _ in range(3000):
                if "serving the jobs" in log():
                    break
                if process.poll() is not None:
                    raise Unavailable(log())
                time.sleep(0.01)
            yield process, log

    def jobs(self, *words: str) -> str:
        return output([self.binary, "jobs", *words, "--state", self.folder / "state", "--folder", self.folder / "jobs"])

    def ended(self, count: int) -> list[dict]:
        """Waits for the end of so many runs."""
        for _ in range(30_000):
            runs = self.runs()
            if len(runs) >= count and all(run["ended"] for run in runs):
                return runs
            time.sleep(0.01)
        raise Unavailable("the runs did not end in five minutes")

    def runs(self) -> list[dict]:
        rows = sqlite3.connect(self.folder / "state" / "jobs.db").execute(
            "SELECT id, due, started, ended, state FROM run ORDER BY id").fetchall()
        return [dict(zip(("id", "due", "started", "ended", "state"), row)) for row in rows]


@contextmanager
def host(setting: Setting, jobs: dict[str, str]):
    folder = Path(tempfile.mkdtemp(prefix="b2c-bench-", dir=setting.folder))
    try:
        yield Host(setting, folder, jobs)
    finally:
        shutil.rmtree(folder)


def memory(process: int) -> float:
    """Returns the resident memory in MiB without the pages of files."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) / 1024


def processor(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(process: int, seconds: float) -> tuple[float, float]:
    before = processor(process)
    time.sleep(seconds)
    return memory(process), (processor(process) - before) / seconds * 100


# Idle

SCHEDULER = """
import sys, time
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
import peer_jobs
scheduler = BackgroundScheduler(jobstores={"default": SQLAlchemyJobStore(url="sqlite:///" + sys.argv[1])})
for number in range(int(sys.argv[2])):
    scheduler.add_job(peer_jobs.work, "cron", hour=number % 24, minute=number % 60, id=str(number))
scheduler.start()
print("ready", flush=True)
time.sleep(3600)
"""


def idle(setting: Setting) -> list[Row]:
    texts = {f"job{number}": f'{{ on = {{ cron = "{number % 60} {number % 24} * * *" }} }}' for number in range(JOBS)}
    with host(setting, texts) as server, server.serving() as (process, _):
        mine = load(process.pid, 10)
    python = peers_python(setting, apscheduler="apscheduler<4", sqlalchemy="sqlalchemy")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "peer_jobs.py").write_text("def work(): pass\n")
        Path(folder, "scheduler.py").write_text(SCHEDULER)
        with running([python, Path(folder, "scheduler.py"), Path(folder, "db"), str(JOBS)]) as (process, log):
            for _ in range(3000):
                if "ready" in log():
                    break
                time.sleep(0.02)
            peer = load(process.pid, 10)
    return [
        Row(f"serve, {JOBS} jobs, idle", f"{mine[0]:.1f} MiB", f"{mine[1]:.2f} % of a core; aim: at most 25 MiB and 0.1 %"),
        Row(f"APScheduler with SQLite, {JOBS} jobs, idle", f"{peer[0]:.1f} MiB", f"{peer[1]:.2f} % of a core"),
    ]


# Due times


def due(setting: Setting) -> list[Row]:
    line = 'require("b2c").log.info "first line"'
    with host(setting, {f"tick{n}": f'{{ on = {{ every = "1s" }} }}\n{line}' for n in range(5)}) as server:
        with server.serving("--parallel", "5"):
            time.sleep(20)
        delays = sorted(first_line(server.folder, run) - run["due"] for run in server.runs() if run["state"] == "ok")
    p99 = delays[int(len(delays) * 0.99) - 1]
    # As an instant, so that all jobs are due in the same second.
    moment = datetime.fromtimestamp(int(time.time()) + 15, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    with host(setting, {f"job{n}": f'{{ on = {{ at = "{moment}" }} }}' for n in range(DUE)}) as server:
        with server.serving("--parallel", "16"):
            time.sleep(30)
        runs = server.runs()
    last = max(run["started"] - run["due"] for run in runs) / 1000
    lost = DUE - sum(run["state"] == "ok" for run in runs)
    return [
        Row("due instant to the script's first line, p99", f"{p99:.0f} ms", f"of {len(delays)} runs; aim: 50"),
        Row(f"{DUE} jobs due in one second, the last start", f"{last:.2f} s", f"{lost} lost; aim: 5 s, none lost"),
    ]


def first_line(folder: Path, run: dict) -> float:
    """Returns the time of the first log line in milliseconds since 1970."""
    text = (folder / "state" / "logs" / f"{run['id']}.log").read_text().split()[0]
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc).timestamp() * 1000


# Webhooks


def webhooks(setting: Setting) -> list[Row]:
    wrk = program("wrk", "wrk")
    port = free_port()
    with host(setting, {"hook": '{ on = { webhook = "/hook", scheme = "none" }, keep = { runs = 10000000 } }'}) as server:
        with server.serving("--hooks", str(port)):
            # Stored and not started: the time of the host alone.
            server.jobs("pause", "hook")
            mine = send(wrk, setting, f"http://127.0.0.1:{port}/hook")
            stored = len(server.runs())
    with tempfile.TemporaryDirectory() as folder:
        peer_port = free_port()
        hooks = Path(folder, "hooks.json")
        hooks.write_text(json.dumps([
            {"id": "hook", "execute-command": "/bin/true", "include-command-output-in-response": True}]))
        with running([program("webhook", "webhook"), "-hooks", hooks, "-ip", "127.0.0.1", "-port", str(peer_port)]) as (process, _):
            wait_for_port(peer_port, process, "webhook")
            peer = send(wrk, setting, f"http://127.0.0.1:{peer_port}/hooks/hook")
    return [
        Row(
            "webhooks stored and answered with 202", f"{mine[0]:,.0f}/s",
            f"p99 {mine[1]:.1f} ms, {stored} rows; aim: 2,000/s, p99 20 ms"),
        Row("webhook (Debian), with the command's output", f"{peer[0]:,.0f}/s", f"serve is {mine[0] / peer[0]:.1f} times as fast (aim: 3)"),
    ]


def send(wrk: str, setting: Setting, url: str) -> tuple[float, float]:
    script = setting.folder / "post.lua"
    script.write_text('wrk.method, wrk.body = "POST", "{}"\n')
    text = output([wrk, "-t1", "-c16", "-d5s", "--latency", "-s", script, url])
    rate = float(text.split("Requests/sec:")[1].split()[0])
    word = text.split("99%")[1].split()[0]
    unit = {"us": 1e-3, "ms": 1, "s": 1e3}
    digits = word.rstrip("ums")
    return rate, float(digits) * unit[word[len(digits):]]


# A long history


def history(setting: Setting) -> list[Row]:
    count = 1_000_000
    port = free_port()
    with host(setting, {"job": '{ on = { cron = "0 0 1 1 *" }, keep = { runs = 10000000, days = 36500 } }'}) as server:
        with server.serving():
            pass
        path = server.folder / "state" / "jobs.db"
        database = sqlite3.connect(path)
        columns = "job, kind, due, count, event, state, attempt, interruptions, created, started, ended, computed, permissions, exit"
        now = int(time.time() * 1000)
        database.executemany(
            f"INSERT INTO run ({columns}) VALUES ('job', 'cron', ?, 1, ?, 'ok', 1, 0, ?, ?, ?, 20, '[]', 0)",
            ((now - n * 1000, json.dumps({"kind": "cron", "due": now // 1000 - n}), now - n * 1000, now - n * 1000, now - n * 1000 + 20)
             for n in range(count, 0, -1)))
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        size = path.stat().st_size / count
        with server.serving("--listen", str(port)):
            page = min(fetch(f"http://127.0.0.1:{port}/jobs/job?before={count // 2}") for _ in range(5))
        database = sqlite3.connect(path)
        database.executemany(
            "INSERT INTO run (job, kind, count, event, state, attempt, interruptions, created, computed, permissions)"
            " VALUES ('job', 'webhook', 1, '{}', 'due', 0, 0, ?, 0, '[]')", ((now,) for _ in range(10_000)))
        database.commit()
        database.close()
        start = time.perf_counter()
        with server.serving():
            back = time.perf_counter() - start
    return [
        Row("a page of runs, of a million", f"{page * 1e3:.0f} ms", "aim: 100"),
        Row("a run in the history", f"{size:.0f} bytes", "aim: 1024"),
        Row("start with 10,000 open rows", f"{back:.2f} s", "aim: 1"),
    ]


def fetch(url: str) -> float:
    start = time.perf_counter()
    with urllib.request.urlopen(url) as answer:
        answer.read()
    return time.perf_counter() - start
