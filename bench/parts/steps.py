"""Measures the durable steps of runs: each is on the disk before its script continues."""

from .jobs import host
from .tools import Row, Setting

TITLE = "Durable steps"
STEPS = 500
RUNS = 16
SCRIPT = f"""{{ on = {{ every = "1000h" }}, overlap = {{ parallel = {RUNS} }} }}
for number = 1, {STEPS} do run.step("step", function() return {{ number = number, text = "a result" }} end) end"""


def measure(setting: Setting) -> list[Row]:
    return [
        Row(f"{count} run{'s' if count > 1 else ''} of {STEPS} steps, with the start of the processes", f"{rate(setting, count):,.0f}/s", aim)
        for count, aim in ((1, ""), (RUNS, "aim: at least 2,000/s"))]


def rate(setting: Setting, count: int) -> float:
    rates = []
    for _ in range(setting.rounds):
        with host(setting, {"steps": SCRIPT}) as server, server.serving("--parallel", str(RUNS), "--drain", "60s"):
            for _ in range(count):
                server.jobs("run", "steps")
            runs = server.ended(count)
            rates.append(STEPS * count * 1000 / (max(run["ended"] for run in runs) - min(run["started"] for run in runs)))
    return max(rates)
