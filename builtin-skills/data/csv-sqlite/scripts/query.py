#!/usr/bin/env python3
"""Runs one SQL query on a SQLite database that is opened read-only.

Usage: python3 query.py DATABASE "SELECT ..." [--csv] [--limit 100]
       python3 query.py DATABASE --tables
"""
import argparse
import csv
import pathlib
import sqlite3
import sys


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("database")
    reader.add_argument("query", nargs="?")
    reader.add_argument("--tables", action="store_true", help="list tables and their columns")
    reader.add_argument("--csv", action="store_true", help="all rows as CSV")
    reader.add_argument("--limit", type=int, default=100, help="rows to show as a table")
    options = reader.parse_args()
    path = pathlib.Path(options.database).resolve()
    if not path.exists():
        print(f"query: there is no {path}", file=sys.stderr)
        return 1
    database = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    if options.tables:
        for (text,) in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"):
            print(text)
        return 0
    if not options.query:
        reader.error("a query or --tables is needed")
    result = database.execute(options.query)
    names = [column[0] for column in result.description or []]
    if options.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(result)
        return 0
    rows = result.fetchmany(options.limit + 1)
    cells = [names] + [["" if cell is None else str(cell) for cell in row] for row in rows[: options.limit]]
    widths = [max(len(row[at]) for row in cells) for at in range(len(names))]
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    if len(rows) > options.limit:
        print(f"... more than {options.limit} rows; use --limit or --csv")
    return 0


try:
    sys.exit(main())
except sqlite3.Error as error:
    sys.exit(f"query: {error}")
