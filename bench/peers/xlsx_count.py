"""Counts the rows of a workbook below its first line with openpyxl a given number of times, or writes a workbook of so many rows."""

import datetime
import sys

import openpyxl


def write(path: str, rows: int) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Tasks")
    sheet.append(["Id", "Title", "Due", "Share", "Notes", "Done"])
    notes = ["", "Before nine, and not on a Monday if it can be helped", 'She said: "whenever you like"']
    first = datetime.date(2026, 10, 1)
    for number in range(rows):
        sheet.append([
            number, f"Task {number}", first + datetime.timedelta(number % 365), number % 100 / 100, notes[number % 3], number % 3 == 0])
    book.save(path)


def count(path: str) -> int:
    book = openpyxl.load_workbook(path, read_only=True)
    rows = book.worksheets[0].iter_rows(values_only=True)
    next(rows)
    return sum(1 for _ in rows)


if sys.argv[2] == "write":
    write(sys.argv[1], int(sys.argv[3]))
else:
    for _ in range(int(sys.argv[2])):
        print(count(sys.argv[1]))
