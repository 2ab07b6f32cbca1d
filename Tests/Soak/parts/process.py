"""Programs that run for long, and their memory, descriptors and threads, read from /proc."""

import os
import signal
import statistics
import subprocess
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


class Failed(Exception):
    """A part did not do what it measures."""


@dataclass
class Sample:
    """The state of a process `seconds` after the first sample. Memory is in KiB, without the pages of files."""

    seconds: float
    memory: int
    descriptors: int
    threads: int


@dataclass
class Watch:
    """Samples of a process at equal times."""

    process: int
    samples: list[Sample] = field(default_factory=list)
    start: float = field(default_factory=time.monotonic)

    def sample(self) -> None:
        try:
            status = Path(f"/proc/{self.process}/status").read_text(encoding="utf-8")
            descriptors = len(os.listdir(f"/proc/{self.process}/fd"))
        except OSError:
            return
        values = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        if "RssAnon" in values:
            self.samples.append(Sample(
                time.monotonic() - self.start, int(values["RssAnon"].split()[0]), descriptors, int(values["Threads"])))

    @contextmanager
    def every(self, seconds: float):
        """Takes samples in the background until the end of the block."""
        ended = threading.Event()

        def work() -> None:
            while not ended.wait(seconds):
                self.sample()

        self.sample()
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            ended.set()
            thread.join()
            self.sample()

    def save(self, path: Path) -> None:
        lines = [f"{s.seconds:.1f},{s.memory},{s.descriptors},{s.threads}" for s in self.samples]
        path.write_text("\n".join(["seconds,memory_kib,descriptors,threads", *lines]) + "\n", encoding="utf-8")


@dataclass
class Growth:
    """The change of one figure: the medians of the first and the last fifth, the extremes, and the slope in an hour."""

    first: float
    last: float
    least: float
    most: float
    slope: float

    @classmethod
    def of(cls, samples: list[Sample], name: str) -> "Growth":
        values = [getattr(sample, name) for sample in samples]
        times = [sample.seconds / 3600 for sample in samples]
        part = max(1, len(values) // 5)
        try:
            slope = statistics.linear_regression(times, values).slope
        except statistics.StatisticsError:
            slope = 0.0
        return cls(
            statistics.median(values[:part]), statistics.median(values[-part:]), min(values), max(values), slope)


def report(title: str, watch: Watch, warm_up: float, memory: float = 1.0, descriptors: int = 4, threads: int = 1) -> bool:
    """Prints first, last, extremes and slope of each figure after the first `warm_up` part of the time. Returns whether each grew by
    no more than its limit from the first to the last fifth. The limit of the memory is in MiB."""
    if not watch.samples:
        raise Failed(f"{title}: the process ended before its first sample")
    begin = watch.samples[-1].seconds * warm_up
    samples = [sample for sample in watch.samples if sample.seconds >= begin]
    print(f"{title}: {len(samples)} samples in {samples[-1].seconds - samples[0].seconds:.0f} s")
    print(f"  {'':<12}{'first':>10}{'last':>10}{'least':>10}{'most':>10}{'slope/h':>10}{'limit':>10}")
    held = True
    for name, unit, limit in (("memory", 1024, memory), ("descriptors", 1, descriptors), ("threads", 1, threads)):
        growth = Growth.of(samples, name)
        grown = (growth.last - growth.first) / unit
        held = held and grown <= limit
        form = "10.2f" if unit > 1 else "10.0f"
        figures = "".join(
            format(value / unit, form) for value in (growth.first, growth.last, growth.least, growth.most))
        print(f"  {name + (' MiB' if unit > 1 else ''):<12}{figures}{growth.slope / unit:>+10.2f}{limit:>+10.0f}"
              + ("" if grown <= limit else f"  GREW by {grown:.2f}"))
    print(flush=True)
    return held


@contextmanager
def running(command: list, log: Path, **options):
    """Runs a program in the background with its output in a file, and ends it after the block."""
    with open(log, "wb") as file:
        process = subprocess.Popen(
            [str(word) for word in command], stdout=file, stderr=subprocess.STDOUT,
            stdin=options.pop("stdin", subprocess.DEVNULL), **options)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(text: str, log: Path, process: subprocess.Popen, seconds: float = 60) -> str:
    """Waits until the output of a program has this text, and returns the output."""
    for _ in range(int(seconds * 20)):
        said = log.read_text(encoding="utf-8", errors="replace")
        if text in said:
            return said
        if process.poll() is not None:
            raise Failed(f"the program ended with status {process.returncode}: {said[-500:]}")
        time.sleep(0.05)
    raise Failed(f'no "{text}" within {seconds:.0f} s: {said[-500:]}')
