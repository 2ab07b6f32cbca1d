"""Compares reading the rows of a workbook with openpyxl, which Python programs use for that."""

from .tools import Row, Setting, output, peers_python, processor_time, seconds_by_count

TITLE = "Workbook reading alone, rows per second of one core"
LINES = 100_000
TIMES = 2


def measure(setting: Setting) -> list[Row]:
    peer_program = setting.root / "bench/peers/xlsx_count.py"
    python = peers_python(setting, openpyxl="openpyxl")
    path = setting.folder / f"rows-{LINES}.xlsx"
    if not path.exists():
        output([python, peer_program, path, "write", LINES])
    seconds = seconds_by_count(setting.rounds, {
        "host": lambda times: [setting.binary, "-A", "--quiet", setting.root / "bench/lua/csv_count.lua", path, times],
        "python": lambda times: [python, peer_program, path, times],
    }, str(LINES), (0, TIMES), processor_time)
    host, peer = (LINES * TIMES / (seconds[name, TIMES] - seconds[name, 0]) for name in ("host", "python"))
    return [
        Row("b2c-run", f"{host:,.0f}", f"{host / peer:.1f} times as many as openpyxl; aim: at least 10"),
        Row("openpyxl, read_only", f"{peer:,.0f}"),
    ]
