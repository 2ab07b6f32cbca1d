"""Counts the rows of a CSV file as one would with Python's csv module, so many times."""

import csv
import sys

for _ in range(int(sys.argv[2])):
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        print(sum(1 for _ in rows))
