"""Counts the rows of a CSV file with Python's csv module a given number of times."""

import csv
import sys

for _ in range(int(sys.argv[2])):
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        print(sum(1 for _ in rows))
