"""What all parts use."""

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
    """Something a measurement needs is missing or did not work."""


@dataclass
class Setting:
    root: Path
    binary: Path
    rounds: int
    rows: int

    @property
    def folder(self) -> Path:
        """For what is built for the measurements."""
        folder = self.root / ".build" / "bench"
        folder.mkdir(parents=True, exist_ok=True)
        return folder


@dataclass
class Row:
    """One line of a table: `value` in `unit`, and the ratios that it was measured for."""

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
    """The path of a program; servers live in folders that are not on everyone's PATH."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        raise Unavailable(f"{name} is missing; install the package {package}")
    return found


def output(command: list, **options) -> str:
    """What a command prints; Unavailable with the end of what it said when it fails."""
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
    """The best of several rounds of each. The rounds take turns, so that a busy moment of the machine hits all alike."""
    results = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            results[name].append(measure())
    return {name: better(values) for name, values in results.items()}


def processor_time() -> float:
    """Seconds that the programs run so far have had a core."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds_by_count(rounds: int, commands: dict, expected: str, counts: tuple, clock=time.perf_counter) -> dict:
    """The best seconds of each program for doing a thing so many times as its command says, printing `expected` each time:
    by (name, count). The difference between counts is what the thing takes, without the program's start."""
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
    """A program in the background, ended by its process ID. Gives the process and a function that reads what it printed."""
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
    """Waits until somebody listens on the port of this machine."""
    for _ in range(500):
        if process.poll() is not None:
            raise Unavailable(f"{name} ended with status {process.returncode} before it listened")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise Unavailable(f"{name} did not listen on port {port} within 10 seconds")


def peers_python(setting: Setting) -> Path:
    """A Python with the peers of the comparison, in a virtual environment below .build."""
    folder = setting.root / ".build" / "bench-venv"
    python = folder / "bin" / "python3"
    probe = [python, "-c", "import msal, requests, aiohttp"]
    if not python.exists() or subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        print("setting up the Python peers: msal, requests, aiohttp", file=sys.stderr)
        output([sys.executable, "-m", "venv", folder])
        output([python, "-m", "pip", "install", "--quiet", "msal", "requests", "aiohttp"])
    return python
