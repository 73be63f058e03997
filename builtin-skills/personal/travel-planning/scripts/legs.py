#!/usr/bin/env python3
"""Real durations of the legs of a trip across time zones, and the time between them.

Usage: python3 legs.py FILE [--change 60]; each line of the file:
2026-05-03 10:05 Europe/Zurich -> 2026-05-03 13:20 America/New_York | flight
Exit code 1 if something cannot be or is too short.
"""
import argparse
import datetime as dt
import re
import sys
import zoneinfo

LEG = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d)\s+(\S+)\s*->\s*(\d{4}-\d\d-\d\d \d\d:\d\d)\s+(\S+)\s*(?:\|\s*(.*))?$")


def moment(text: str, zone: str) -> dt.datetime:
    local = dt.datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=zoneinfo.ZoneInfo(zone))
    return local.astimezone(dt.timezone.utc)


def spell(length: dt.timedelta) -> str:
    minutes = int(length.total_seconds() // 60)
    return f"{'-' if minutes < 0 else ''}{abs(minutes) // 60} h {abs(minutes) % 60:02} min"


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("file")
    reader.add_argument("--change", type=int, default=60, help="minutes that a change needs at least")
    options = reader.parse_args()
    before, wrong = None, 0
    with open(options.file, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        found = LEG.match(line)
        if not found:
            print(f"line {number}: not a leg: {line}")
            wrong += 1
            continue
        start, end = moment(*found.group(1, 2)), moment(*found.group(3, 4))
        name = found.group(5) or f"leg in line {number}"
        if before is not None:
            gap = start - before
            late = gap < dt.timedelta(minutes=options.change)
            wrong += late
            mark = "  <- OVERLAP" if gap < dt.timedelta(0) else "  <- SHORT" if late else ""
            print(f"    change: {spell(gap)}{mark}")
        length = end - start
        odd = length <= dt.timedelta(0) or length > dt.timedelta(hours=30)
        wrong += odd
        print(f"{name}: {found.group(1)} to {found.group(3)} local, {spell(length)}{'  <- CANNOT BE' if odd else ''}")
        before = end
    return 1 if wrong or before is None else 0


try:
    sys.exit(main())
except (zoneinfo.ZoneInfoNotFoundError, ValueError, FileNotFoundError) as error:
    sys.exit(f"legs: {error}")
