"""An import of many rows with a journal into the local tenant in the same process, which keeps its tasks in a file."""

import json
import subprocess
from pathlib import Path

from .process import Failed, Sample, Watch, report, running

COUNT = 10_000_000
# The documentation of the journal says: about 20 bytes for each row.
BYTES = 24


def measure(setting) -> bool:
    count = setting.count or COUNT
    rows, journal, log = setting.folder / "rows.csv", setting.folder / "journal", setting.folder / "progress.ndjson"
    with open(rows, "w", encoding="utf-8") as file:
        file.write("Text,Number,List\n")
        for number in range(count):
            file.write(f"Task {number} of the long list,{number},home\n")
    process = subprocess.Popen(
        [setting.binary, f"--local={setting.folder / 'tenant.db'}", "import", rows, "--journal", journal, "--concurrency", "64",
         "--progress", "json"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=setting.environment)
    watch, last = Watch(process.pid), {}
    begin = min(1_000_000, count // 10)
    at_begin: Sample | None = None
    with open(log, "w", encoding="utf-8") as file:
        for line in process.stderr:
            file.write(line)
            if not line.startswith("{"):
                continue
            last = json.loads(line)
            watch.sample()
            if at_begin is None and last["rows"] >= begin and watch.samples:
                at_begin = watch.samples[-1]
    if process.wait() != 0 or last.get("added") != count or at_begin is None:
        raise Failed(f"the import ended with status {process.returncode} after {last}; see {log}")
    watch.save(setting.folder / "rows.csv.memory")
    size = sum(path.stat().st_size for path in setting.folder.glob("journal*"))
    per_row = size / count
    print(f"{count:,} rows in {last['seconds']:.0f} s, {count / last['seconds']:,.0f} a second; "
          f"journal {size / 2**20:.1f} MiB, {per_row:.1f} bytes a row (limit {BYTES})")
    after = Watch(process.pid, [sample for sample in watch.samples if sample.seconds >= at_begin.seconds])
    most = max(sample.memory for sample in after.samples)
    grown = (most - at_begin.memory) / 1024
    print(f"memory after {begin:,} rows {at_begin.memory / 1024:.2f} MiB, most afterwards {most / 1024:.2f} MiB: "
          f"{grown:+.2f} MiB (limit 5)")
    held = report(f"import of {count:,} rows", after, warm_up=0, memory=5)
    for path in (rows, setting.folder / "tenant.db"):
        path.unlink()
    return held and grown <= 5 and per_row <= BYTES
