"""`serve` with 1,000 jobs for many days of a clock that a file moves on, ten minutes at a time."""

import sqlite3
import time

from .process import Failed, Watch, report, running, wait_for
from .serve import JOBS, runs, write_jobs

DAYS = 24
STEP = 600


def measure(setting) -> bool:
    days = setting.count or DAYS
    folder, clock = setting.folder / "days", setting.folder / "clock"
    head = 'local run = require("b2c").job '
    hourly = {f"hourly{number}": head + f'{{ on = {{ cron = "{number * 20} * * * *" }} }}\n' for number in range(3)}
    daily = {f"daily{number}": head + f'{{ on = {{ cron = "{number % 60} {number % 24} * * *" }} }}\n' for number in range(100)}
    write_jobs(folder, hourly | daily, lambda n: f'{{ cron = "{n % 60} {n % 24} * * {n % 7}" }}')
    state, log = folder / "state", folder / "serve.log"
    move(clock, 0)
    environment = setting.environment | {"B2C_RUN_CLOCK": str(clock)}
    with running([setting.binary, "serve", "--state", state, "--keep", "7"], log, cwd=folder, env=environment) as process:
        wait_for("serving the jobs", log, process)
        begin, watch = time.time(), Watch(process.pid)
        with watch.every(2):
            for step in range(1, days * 86400 // STEP + 1):
                move(clock, step * STEP)
                time.sleep(0.1)
                wait_until_idle(state, process)
        watch.save(setting.folder / "days.csv")
    print(f"{days} days, {JOBS} jobs, in {time.time() - begin:.0f} s; runs of the last days: {runs(state)}")
    return kept(state, min(days, 7)) and report(f"serve, {JOBS} jobs, {days} simulated days", watch, warm_up=min(0.5, 8 / days))


def move(clock, seconds: int) -> None:
    """Replaces the file at once, because the server may read it at any moment."""
    new = clock.with_suffix(".new")
    new.write_text(str(seconds), encoding="utf-8")
    new.rename(clock)


def wait_until_idle(state, process) -> None:
    database = sqlite3.connect(f"file:{state / 'jobs.db'}?mode=ro", uri=True, timeout=30)
    try:
        for _ in range(1200):
            if not database.execute("SELECT 1 FROM run WHERE ended IS NULL LIMIT 1").fetchone():
                return
            if process.poll() is not None:
                raise Failed(f"serve ended with status {process.returncode}")
            time.sleep(0.05)
        raise Failed("runs did not end within a minute")
    finally:
        database.close()


def kept(state, days: int) -> bool:
    """Each job that is due daily has a run for each of the last days, and nothing but good runs is in the history."""
    database = sqlite3.connect(f"file:{state / 'jobs.db'}?mode=ro", uri=True)
    counts = database.execute(
        "SELECT job, COUNT(DISTINCT due), SUM(state <> 'ok') FROM run WHERE job LIKE 'daily%' GROUP BY job").fetchall()
    wrong = [row for row in counts if row[1] < days - 1 or row[2]]
    if len(counts) != 100 or wrong:
        print(f"jobs with lost or failed runs: {wrong[:5]} of {len(counts)}")
    return len(counts) == 100 and not wrong
