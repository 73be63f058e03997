#!/usr/bin/env python3
"""Merges files of events into one timeline in UTC, as a Markdown table.

Usage: python3 timeline.py [--zone Europe/Zurich] FILE [FILE ...]
Each line begins with a time: 2026-03-02T14:03:00Z, 2026-03-02 15:03 +01:00, or without a zone (then that of --zone, UTC if left out).
"""
import argparse
import datetime as dt
import os
import re
import sys
import zoneinfo

LINE = re.compile(r"\W*(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,]\d+)?\s?(Z|UTC|[+-]\d\d:?\d\d)?\]?[\s:|-]+(.*)")


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("files", nargs="+")
    reader.add_argument("--zone", default="UTC", help="of times that name none")
    reader.add_argument("--gap", type=int, default=20, help="minutes without an event that are pointed out")
    options = reader.parse_args()
    zone = zoneinfo.ZoneInfo(options.zone)
    events, left, guessed = set(), [], 0
    for path in options.files:
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                found = LINE.match(line)
                if not found:
                    if line.strip():
                        left.append(f"{path}:{number}: {line.strip()[:80]}")
                    continue
                day, clock, seconds, offset, text = found.groups()
                moment = dt.datetime.fromisoformat(f"{day}T{clock}{seconds or ':00'}")
                if offset in ("Z", "UTC"):
                    moment = moment.replace(tzinfo=dt.timezone.utc)
                elif offset:
                    sign = -1 if offset[0] == "-" else 1
                    digits = offset[1:].replace(":", "")
                    moment = moment.replace(tzinfo=dt.timezone(sign * dt.timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))))
                else:
                    guessed += 1
                    moment = moment.replace(tzinfo=zone)
                events.add((moment.astimezone(dt.timezone.utc), text.strip().replace("|", "\\|"), os.path.basename(path)))
    print("| Time (UTC) | Event | Source |\n|---|---|---|")
    before = None
    for moment, text, source in sorted(events):
        if before and moment - before > dt.timedelta(minutes=options.gap):
            print(f"| | (nothing for {int((moment - before).total_seconds() // 60)} minutes) | |")
        show = "%H:%M:%S" if before and before.date() == moment.date() else "%Y-%m-%d %H:%M:%S"
        print(f"| {moment.strftime(show)} | {text} | {source} |")
        before = moment
    if guessed:
        print(f"{guessed} times without a zone were taken as {options.zone}", file=sys.stderr)
    for line in left:
        print(f"no time: {line}", file=sys.stderr)
    return 0 if events else 1


try:
    sys.exit(main())
except (OSError, ValueError, zoneinfo.ZoneInfoNotFoundError) as error:
    sys.exit(f"timeline: {error}")
