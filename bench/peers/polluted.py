"""Reads the polluted files of a folder with another program, and counts: polluted.py python|duckdb FOLDER"""

import csv
import json
import sys
from pathlib import Path


def python_rows(path: Path) -> list[list[str]]:
    text = path.read_text(encoding="utf-8-sig", newline="")
    return list(csv.reader(text.splitlines(keepends=True), csv.Sniffer().sniff(text)))


def duckdb_rows(path: Path) -> list[list[str]]:
    import duckdb

    relation = duckdb.read_csv(str(path), all_varchar=True)
    return [relation.columns] + [["" if cell is None else cell for cell in row] for row in relation.fetchall()]


def trimmed(row: list[str]) -> tuple[str, ...]:
    return tuple(cell.strip(" ") for cell in row)


def main() -> None:
    read = {"python": python_rows, "duckdb": duckdb_rows}[sys.argv[1]]
    folder = Path(sys.argv[2])
    counts = {"right": 0, "wrong": 0, "stopped": 0}
    for number, line in enumerate((folder / "truth.ndjson").read_text().splitlines(), 1):
        truth = json.loads(line)
        try:
            found = read(folder / f"{number}.csv")
        except Exception:  # Each kind of refusal counts as one.
            counts["stopped"] += 1
            continue
        if truth["header"]:
            found = found[1:]
        left = [trimmed(row) for row in truth["rows"]]
        wrong = 0
        for row in (trimmed(row) for row in found if any(row)):
            if row in left:
                left.remove(row)
            else:
                wrong += 1
        damaged = {trimmed(truth["rows"][index]) for index in truth["damaged"]}
        lost = sum(row not in damaged for row in left)
        counts["wrong"] += wrong + lost
        counts["right"] += wrong + lost == 0
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
