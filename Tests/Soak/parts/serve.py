"""`serve` with 1,000 jobs in real time: most wait, some run, and its pages, files and webhooks are used."""

import re
import sqlite3
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from .process import Failed, Watch, report, running, wait_for

JOBS = 1000
# Together a run in two seconds.
BUSY = 60


def write_jobs(folder: Path, busy: dict[str, str], on) -> None:
    """Writes JOBS jobs: those of `busy`, and others due as `on` says for a number."""
    (folder / "jobs").mkdir(parents=True)
    for name, text in busy.items():
        (folder / "jobs" / f"{name}.lua").write_text(text, encoding="utf-8")
    for number in range(JOBS - len(busy)):
        (folder / "jobs" / f"job{number}.lua").write_text(
            f'local run = require("b2c").job {{ on = {on(number)} }}\n', encoding="utf-8")


def busy_jobs() -> dict[str, str]:
    head = 'local b2c = require "b2c"\nlocal run = b2c.job '
    jobs = {
        f"busy{number}": head + '{ on = { every = "2m" }, spread = "2m" }\n'
        "run.state.count = (run.state.count or 0) + 1\nprint('run', run.state.count)\n"
        for number in range(BUSY)
    }
    jobs["steps"] = head + (
        '{ on = { every = "3m" } }\nrun.step("one", function() return 1 end)\nrun.progress(1, 2, "half")\n'
        'run.sleep("70s")\nrun.step("two", function() return 2 end)\n')
    jobs["fails"] = head + (
        '{ on = { every = "4m" }, pause_after = 0, retry = { attempts = 3, first = "1s" } }\nerror("as it must")\n')
    jobs["then"] = head + '{ on = { after = "fails", result = "failed" } }\n'
    jobs["hook"] = head + '{ on = { webhook = "/hook", scheme = "none" } }\nprint(run.event.body)\n'
    jobs["files"] = "-- needs: --allow-read=inbox\n" + head + '{ on = { files = "inbox/*.csv" } }\nprint(#run.event.files)\n'
    return jobs


def measure(setting) -> bool:
    folder = setting.folder / "serve"
    write_jobs(folder, busy_jobs(), lambda n: f'{{ cron = "{n % 60} {n % 24} * * *" }}')
    (folder / "inbox").mkdir()
    state, log = folder / "state", folder / "serve.log"
    setting.run("jobs", "allow", "files", "--yes", "--state", state, cwd=folder)
    with running(
        [setting.binary, "serve", "--state", state, "--listen", "0", "--hooks", "0"], log, cwd=folder, env=setting.environment
    ) as process:
        said = wait_for("serving the jobs", log, process)
        pages, hooks = ports(said)
        watch = Watch(process.pid)
        end = time.monotonic() + setting.minutes * 60
        with watch.every(15):
            turn = 0
            while (left := end - time.monotonic()) > 0:
                if process.poll() is not None:
                    raise Failed(f"serve ended with status {process.returncode}: see {log}")
                use(pages, hooks, folder, turn)
                turn += 1
                watch.save(setting.folder / "serve.csv")
                time.sleep(min(left, 20))
        watch.save(setting.folder / "serve.csv")
    print(f"runs: {runs(state)}; {turn} rounds of pages, webhooks and files", flush=True)
    # Until then the database's cache of pages gets full.
    return report(f"serve, {JOBS} jobs, {setting.minutes:g} minutes", watch, warm_up=0.4)


def ports(said: str) -> tuple[int, int]:
    pages = re.search(r"http://[^ :]+:(\d+)/", said)
    hooks = re.search(r"webhooks at port (\d+)", said)
    if not pages or not hooks:
        raise Failed(f"serve named no ports: {said[:500]}")
    return int(pages.group(1)), int(hooks.group(1))


def use(pages: int, hooks: int, folder: Path, turn: int) -> None:
    """Opens the pages, sends a webhook and drops a file, as people and other programs do."""
    for path in ("/", "/jobs/busy1", "/jobs/fails", "/metrics", "/healthz", "/accounts"):
        with suppress(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{pages}{path}", timeout=60).read()
    with suppress(OSError):
        urllib.request.urlopen(f"http://127.0.0.1:{hooks}/hook", data=b"turn %d" % turn, timeout=60).read()
    if turn % 3 == 0:
        (folder / "inbox" / f"{turn % 30}.csv").write_text(f"Text\nTask {turn}\n", encoding="utf-8")


def runs(state: Path) -> str:
    database = sqlite3.connect(f"file:{state / 'jobs.db'}?mode=ro", uri=True)
    counts = database.execute("SELECT state, COUNT(*) FROM run GROUP BY state ORDER BY state").fetchall()
    return ", ".join(f"{count} {state}" for state, count in counts)
