#!/usr/bin/env python3
"""Loads a CSV or TSV file into a table of a SQLite database, with types that all values have.

Usage: python3 load_csv.py FILE DATABASE [--table NAME] [--replace] [--encoding utf-8-sig]
"""
import argparse
import csv
import os
import re
import sqlite3
import sys

WHOLE = re.compile(r"[+-]?(0|[1-9]\d{0,17})$")
NUMBER = re.compile(r"[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?$")


def plain(text: str, taken: set) -> str:
    name = re.sub(r"\W+", "_", text.strip().lower()).strip("_") or "column"
    if name[0].isdigit():
        name = f"c_{name}"
    unique, number = name, 2
    while unique in taken:
        unique, number = f"{name}_{number}", number + 1
    taken.add(unique)
    return unique


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("file")
    reader.add_argument("database")
    reader.add_argument("--table")
    reader.add_argument("--replace", action="store_true", help="drop the table first")
    reader.add_argument("--encoding", default="utf-8-sig")
    options = reader.parse_args()
    csv.field_size_limit(16 * 1024 * 1024)
    with open(options.file, newline="", encoding=options.encoding) as file:
        header = re.sub(r'"[^"]*"', "", file.readline())
        file.seek(0)
        delimiter = max(",;\t|", key=header.count)
        rows = [row for row in csv.reader(file, delimiter=delimiter) if row]
    if not rows:
        print("the file is empty")
        return 1
    taken: set = set()
    header = [plain(name, taken) for name in rows[0]]
    body = rows[1:]
    uneven = [at for at, row in enumerate(body, 2) if len(row) != len(header)]
    if uneven:
        print(f"{len(uneven)} rows have another number of cells than the header, first is row {uneven[0]}; nothing was loaded")
        return 1
    types = []
    for at in range(len(header)):
        values = [row[at].strip() for row in body if row[at].strip() != ""]
        if values and all(WHOLE.match(value) for value in values):
            types.append("INTEGER")
        elif values and all(NUMBER.match(value) for value in values):
            types.append("REAL")
        else:
            types.append("TEXT")
    convert = {"INTEGER": int, "REAL": float, "TEXT": str}
    table = plain(options.table or os.path.splitext(os.path.basename(options.file))[0], set())
    database = sqlite3.connect(options.database)
    with database:
        if options.replace:
            database.execute(f'DROP TABLE IF EXISTS "{table}"')
        columns = ", ".join(f'"{name}" {kind}' for name, kind in zip(header, types))
        database.execute(f'CREATE TABLE "{table}" ({columns})')
        marks = ", ".join("?" for _ in header)
        database.executemany(
            f'INSERT INTO "{table}" VALUES ({marks})',
            ([None if cell.strip() == "" else convert[kind](cell.strip()) for cell, kind in zip(row, types)] for row in body),
        )
    database.close()
    print(f"{len(body)} rows in table {table}: {', '.join(f'{name} {kind}' for name, kind in zip(header, types))}")
    return 0


try:
    sys.exit(main())
except sqlite3.OperationalError as error:
    sys.exit(f"load_csv: {error}; --replace replaces a table")
