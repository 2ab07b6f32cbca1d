"""Functions that all parts use."""

import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


class Unavailable(Exception):
    """A program that a measurement needs is missing or failed."""


@dataclass
class Setting:
    root: Path
    binary: Path
    rounds: int
    rows: int

    @property
    def folder(self) -> Path:
        """The folder for programs and data of the measurements."""
        folder = self.root / ".build" / "bench"
        folder.mkdir(parents=True, exist_ok=True)
        return folder


@dataclass
class Row:
    """One line of a table: `value` in `unit`, and its ratios to other values."""

    name: str
    value: str
    ratio: str = ""


def print_table(title: str, rows: list[Row]) -> None:
    print(title)
    width = max(len(row.name) for row in rows)
    value_width = max(len(row.value) for row in rows)
    for row in rows:
        print(f"  {row.name:<{width}}  {row.value:>{value_width}}  {row.ratio}".rstrip())
    print(flush=True)


def program(name: str, package: str) -> str:
    """Returns the path of a program. It also searches folders of servers, which are not in every user's PATH."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        raise Unavailable(f"{name} is missing; install the package {package}")
    return found


def output(command: list, **options) -> str:
    """Returns the output of a command. If the command fails, raises Unavailable with the end of its output."""
    try:
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, timeout=300, check=False, **options)
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"{command[0]} did not end within {error.timeout:.0f} seconds") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Unavailable(f"{' '.join(map(str, command))}: status {done.returncode}: {' / '.join(said[-3:])}")
    return done.stdout


def best(rounds: int, measures: dict, better=max) -> dict:
    """Returns the best of several rounds of each measure. The rounds alternate, so that other load affects all measures."""
    results = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            results[name].append(measure())
    return {name: better(values) for name, values in results.items()}


def processor_time() -> float:
    """Returns the processor time of all programs run so far, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds_by_count(rounds: int, commands: dict, expected: str, counts: tuple, clock=time.perf_counter) -> dict:
    """Returns the best time of each program in seconds, by (name, count). The program repeats an action `count` times and
    prints `expected`. The difference between two counts is the time of the action without the program's start."""
    def run(command, count: int) -> float:
        start = clock()
        printed = output(command(count)).split()
        seconds = clock() - start
        if printed != [expected] * count:
            raise Unavailable(f"{command(count)[0]} printed {' '.join(printed[:10])} instead of {expected}")
        return seconds
    return best(rounds, {
        (name, count): lambda command=command, count=count: run(command, count)
        for name, command in commands.items() for count in counts}, min)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(command: list):
    """Runs a program in the background and ends it after the block. Yields the process and a function that reads its output."""
    with tempfile.NamedTemporaryFile() as log:
        process = subprocess.Popen(
            [str(part) for part in command], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        try:
            yield process, lambda: Path(log.name).read_text(encoding="utf-8", errors="replace")
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for_port(port: int, process: subprocess.Popen, name: str) -> None:
    """Waits until a server listens on the port of this machine."""
    for _ in range(500):
        if process.poll() is not None:
            raise Unavailable(f"{name} ended with status {process.returncode} before it listened")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise Unavailable(f"{name} did not listen on port {port} within 10 seconds")


def peers_python(setting: Setting, **more: str) -> Path:
    """Returns a Python with the compared packages, in a virtual environment below .build. `more` are the requirements of others, by
    the names of their modules: the Python that runs this may not be the one that has Debian's packages."""
    folder = setting.root / ".build" / "bench-venv"
    python = folder / "bin" / "python3"
    if not python.exists():
        output([sys.executable, "-m", "venv", folder])
    wanted = {"msal": "msal", "requests": "requests", "aiohttp": "aiohttp", **more}
    if subprocess.run([python, "-c", f"import {', '.join(wanted)}"], capture_output=True, check=False).returncode != 0:
        print(f"setting up the Python peers: {', '.join(wanted)}", file=sys.stderr)
        output([python, "-m", "pip", "install", "--quiet", *wanted.values()])
    return python
