"""Measures the time from the start to the end of an empty program."""

import subprocess
import time

from .tools import Row, Setting, Unavailable, best, peers_python, program

TITLE = "Start-up, milliseconds until an empty script has ended"


def measure(setting: Setting) -> list[Row]:
    commands = {
        "lua": [program("lua5.4", "lua5.4"), "-e", ""],
        "host": [setting.binary, "-e", ""],
        "python": [peers_python(setting), "-c", "import msal, requests"],
    }
    for command in commands.values():
        seconds(command)  # fills the file system's caches
    times = best(setting.rounds, {name: lambda command=command: several(command) for name, command in commands.items()}, min)
    host = times["host"]
    return [
        Row("lua5.4 -e ''", f"{times['lua'] * 1e3:.1f}", f"b2c-run takes {host / times['lua']:.1f} times as long (aim: at most 4.5)"),
        Row("b2c-run -e ''", f"{host * 1e3:.1f}"),
        Row(
            "python3 -c 'import msal, requests'", f"{times['python'] * 1e3:.1f}",
            f"b2c-run is {times['python'] / host:.1f} times as fast (aim: 15)"),
    ]


def several(command: list) -> float:
    return min(seconds(command) for _ in range(5))


def seconds(command: list) -> float:
    start = time.perf_counter()
    status = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    elapsed = time.perf_counter() - start
    if status != 0:
        raise Unavailable(f"{' '.join(map(str, command))} ended with status {status}")
    return elapsed
