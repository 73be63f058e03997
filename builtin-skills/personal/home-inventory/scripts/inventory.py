#!/usr/bin/env python3
"""A household inventory in one CSV file. Commands: add, find, move, remove, warranties, total, check; each has --help."""
import argparse
import calendar
import csv
import datetime as dt
import os
import sys
from decimal import Decimal, InvalidOperation

FIELDS = ["number", "name", "place", "bought", "price", "warranty_until", "serial", "receipt", "note", "gone"]


def load(path: str) -> list:
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    missing = [field for field in ("number", "name", "place") if rows and field not in rows[0]]
    if missing:
        raise ValueError(f"{path} has no column {missing[0]}; is it another file?")
    return rows


def save(path: str, rows: list) -> None:
    fields = FIELDS + [key for key in (rows[0] if rows else {}) if key not in FIELDS]
    with open(f"{path}.new", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(f"{path}.new", path)


def later(day: dt.date, months: int) -> dt.date:
    month = day.month - 1 + months
    year, month = day.year + month // 12, month % 12 + 1
    return dt.date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def line(row: dict) -> str:
    parts = [f"{row['number']}. {row['name']}", row["place"], row.get("price", ""), row.get("serial", "")]
    if row.get("warranty_until"):
        parts.append(f"warranty until {row['warranty_until']}")
    if row.get("gone"):
        parts.append(f"gone since {row['gone']}")
    return ", ".join(part for part in parts if part)


def pick(rows: list, number: str) -> dict:
    found = [row for row in rows if row["number"] == number]
    if not found:
        raise ValueError(f"there is no number {number}")
    return found[0]


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("file")
    commands = reader.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add")
    for name in ("name", "place"):
        add.add_argument(f"--{name}", required=True)
    for name in ("bought", "price", "serial", "receipt", "note"):
        add.add_argument(f"--{name}", default="")
    add.add_argument("--warranty-months", type=int)
    commands.add_parser("find").add_argument("words", nargs="*")
    move = commands.add_parser("move")
    move.add_argument("number")
    move.add_argument("place")
    commands.add_parser("remove").add_argument("number")
    warranties = commands.add_parser("warranties")
    warranties.add_argument("--days", type=int, default=60)
    warranties.add_argument("--today", type=dt.date.fromisoformat, default=dt.date.today())
    commands.add_parser("total").add_argument("--by", choices=["place", "year"], default="place")
    commands.add_parser("check")
    options = reader.parse_args()
    rows = load(options.file)
    here = [row for row in rows if not row.get("gone")]
    if options.command == "add":
        until = ""
        if options.bought:
            bought = dt.date.fromisoformat(options.bought)
            until = str(later(bought, options.warranty_months)) if options.warranty_months else ""
        if options.price:
            Decimal(options.price)
        row = {field: getattr(options, field, "") for field in FIELDS}
        row.update(number=str(max((int(each["number"]) for each in rows), default=0) + 1), warranty_until=until, gone="")
        rows.append(row)
        save(options.file, rows)
        print(line(row))
    elif options.command == "find":
        found = [row for row in rows if all(word.lower() in " ".join(filter(None, row.values())).lower() for word in options.words)]
        print("\n".join(map(line, found)) or "nothing found")
        return 0 if found else 1
    elif options.command in ("move", "remove"):
        row = pick(rows, options.number)
        row.update({"place": options.place} if options.command == "move" else {"gone": str(dt.date.today())})
        save(options.file, rows)
        print(line(row))
    elif options.command == "warranties":
        soon = [row for row in here if row.get("warranty_until")]
        soon = [row for row in soon if 0 <= (dt.date.fromisoformat(row["warranty_until"]) - options.today).days <= options.days]
        for row in sorted(soon, key=lambda row: row["warranty_until"]):
            print(line(row))
        print(f"{len(soon)} warranties end within {options.days} days")
    elif options.command == "total":
        sums: dict = {}
        for row in here:
            key = (row.get("bought") or "unknown")[:4] if options.by == "year" else row["place"]
            count, total = sums.get(key, (0, Decimal(0)))
            sums[key] = (count + 1, total + Decimal(row.get("price") or 0))
        for key, (count, total) in sorted(sums.items()):
            print(f"{key}: {count} things, {total}")
        print(f"all: {len(here)} things, {sum(total for _, total in sums.values())}")
    else:
        base = os.path.dirname(os.path.abspath(options.file))
        wrong = []
        for row in rows:
            if row.get("receipt") and not os.path.exists(os.path.join(base, row["receipt"])):
                wrong.append(f"{row['number']}. {row['name']}: the receipt {row['receipt']} is missing")
            for field in ("bought", "warranty_until"):
                try:
                    row.get(field) and dt.date.fromisoformat(row[field])
                except ValueError:
                    wrong.append(f"{row['number']}. {row['name']}: {field} is not a date: {row[field]}")
        numbers = [row["number"] for row in rows]
        wrong += [f"number {each} is there twice" for each in sorted({n for n in numbers if numbers.count(n) > 1})]
        print("\n".join(wrong) or f"{len(rows)} things, nothing wrong")
        return 1 if wrong else 0
    return 0


try:
    sys.exit(main())
except (ValueError, InvalidOperation) as error:
    sys.exit(f"inventory: {error}")
