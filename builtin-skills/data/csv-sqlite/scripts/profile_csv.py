#!/usr/bin/env python3
"""Says what is in a CSV or TSV file. Usage: python3 profile_csv.py FILE [--encoding utf-8-sig]"""
import argparse
import collections
import csv
import re
import sys

WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)$")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?$")
MAX_DISTINCT = 10_000


def kind(text: str) -> str:
    if WHOLE.match(text):
        return "integer"
    if NUMBER.match(text) and not re.match(r"[+-]?0\d", text):
        return "number"
    return "date" if DATE.match(text) else "text"


def open_table(path: str, encoding: str):
    file = open(path, newline="", encoding=encoding)
    header = re.sub(r'"[^"]*"', "", file.readline())
    file.seek(0)
    delimiter = max(",;\t|", key=header.count)
    return file, csv.reader(file, delimiter=delimiter), delimiter


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("file")
    reader.add_argument("--encoding", default="utf-8-sig")
    options = reader.parse_args()
    csv.field_size_limit(16 * 1024 * 1024)
    file, rows, delimiter = open_table(options.file, options.encoding)
    with file:
        header = next(rows, None)
        if not header:
            print("the file is empty")
            return 1
        columns = [{"kinds": collections.Counter(), "empty": 0, "values": collections.Counter()} for _ in header]
        count, uneven, seen, twice = 0, [], set(), 0
        for row in rows:
            if not row:
                continue
            count += 1
            if len(row) != len(header):
                uneven.append(rows.line_num)
            key = hash(tuple(row))
            twice += key in seen
            seen.add(key)
            for column, value in zip(columns, row):
                value = value.strip()
                if value == "":
                    column["empty"] += 1
                    continue
                column["kinds"][kind(value)] += 1
                if value in column["values"] or len(column["values"]) < MAX_DISTINCT:
                    column["values"][value] += 1
    print(f"{count} rows, {len(header)} columns, delimiter {delimiter!r}, {twice} repeated rows")
    if uneven:
        print(f"{len(uneven)} rows have another number of cells, first at line {uneven[0]}")
    if len(set(header)) < len(header):
        print("two columns have the same name")
    for name, column in zip(header, columns):
        kinds = column["kinds"]
        values = column["values"]
        more = "+" if len(values) == MAX_DISTINCT else ""
        print(f"\n{name or '(no name)'}: {', '.join(f'{k} {n}' for k, n in kinds.most_common()) or 'always empty'}")
        print(f"  empty {column['empty']}, distinct {len(values)}{more}")
        if kinds and set(kinds) <= {"integer", "number"}:
            numbers = [float(value) for value in values]
            print(f"  from {min(numbers):g} to {max(numbers):g}")
        elif set(kinds) == {"date"}:
            print(f"  from {min(values)} to {max(values)}")
        print(f"  most often: {', '.join(f'{value[:30]!r} {n}' for value, n in values.most_common(3))}")
    return 0


sys.exit(main())
