#!/usr/bin/env python3
"""The next runs of a cron expression, and what may surprise. Runs nothing.

Usage: python3 next_runs.py "30 2 * * 1-5" [--zone Europe/Zurich] [--count 5] [--from 2026-03-27T00:00]
"""
import argparse
import datetime as dt
import sys
import zoneinfo

NAMES = {name: n for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
DAYS = {name: n for n, name in enumerate("sun mon tue wed thu fri sat".split())}
SHORT = {"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *"}
FIELDS = [("minute", 0, 59, {}), ("hour", 0, 23, {}), ("day of month", 1, 31, {}), ("month", 1, 12, NAMES), ("day of week", 0, 7, DAYS)]
MAX_YEARS = 8


def values(text: str, name: str, low: int, high: int, names: dict) -> set:
    found = set()
    for part in text.lower().split(","):
        span, _, step = part.partition("/")
        if step and (not step.isdigit() or int(step) == 0):
            raise ValueError(f"{name}: {part} has no valid step")
        if span == "*":
            first, last = low, high
        else:
            ends = [str(names.get(end, end)) for end in span.split("-")]
            if len(ends) > 2 or not all(end.isdigit() for end in ends):
                raise ValueError(f"{name}: {part} is not a value")
            first = int(ends[0])
            last = int(ends[-1]) if len(ends) == 2 or not step else high
        if not low <= first <= last <= high:
            raise ValueError(f"{name}: {part} is not within {low} to {high}")
        found.update(range(first, last + 1, int(step or 1)))
    return found


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("expression")
    reader.add_argument("--zone", default="UTC")
    reader.add_argument("--count", type=int, default=5)
    reader.add_argument("--from", dest="since")
    options = reader.parse_args()
    text = SHORT.get(options.expression.strip().lower(), options.expression)
    parts = text.split()
    if len(parts) != 5:
        raise ValueError(f"{len(parts)} fields; cron has five: minute, hour, day of month, month, day of week")
    minutes, hours, days, months, weekdays = (values(part, *field) for part, field in zip(parts, FIELDS))
    weekdays = {day % 7 for day in weekdays}
    zone = zoneinfo.ZoneInfo(options.zone)
    start = dt.datetime.fromisoformat(options.since) if options.since else dt.datetime.now(zone).replace(tzinfo=None)
    notes = []
    either = not parts[2].startswith("*") and not parts[4].startswith("*")
    if either:
        notes.append("day of month and day of week are both set: cron runs when EITHER fits")
    for part, (name, low, high, _) in zip(parts[:2], FIELDS):
        step = part.partition("/")[2]
        if part.startswith("*/") and (high + 1) % int(step) != 0:
            notes.append(f"{part} in {name} does not divide {high + 1}: the last gap is shorter")
    if parts[0] == "*":
        notes.append("runs every minute of the hours named")
    if not parts[2].startswith("*") and max(days) > 28:
        notes.append("some months have no such day and are left out")
    runs, day, limit = [], start.date(), start.date() + dt.timedelta(days=366 * MAX_YEARS)
    while len(runs) < options.count and day <= limit:
        by_day, by_week = day.day in days, (day.weekday() + 1) % 7 in weekdays
        if day.month in months and (by_day or by_week if either else by_day and by_week):
            for hour in sorted(hours):
                for minute in sorted(minutes):
                    moment = dt.datetime.combine(day, dt.time(hour, minute))
                    if moment > start and len(runs) < options.count:
                        runs.append(moment)
        day += dt.timedelta(days=1)
    for moment in runs:
        local = moment.replace(tzinfo=zone)
        back = local.astimezone(dt.timezone.utc).astimezone(zone).replace(tzinfo=None)
        twice = local.utcoffset() != local.replace(fold=1).utcoffset()
        mark = "  <- this time does not exist: clocks go forward" if back != moment else "  <- happens twice: clocks go back" if twice else ""
        print(f"{moment:%a %Y-%m-%d %H:%M} {options.zone}{mark}")
    if not runs:
        print(f"it does not run in the next {MAX_YEARS} years")
        return 1
    for note in notes:
        print(f"note: {note}")
    return 0


try:
    sys.exit(main())
except (ValueError, zoneinfo.ZoneInfoNotFoundError) as error:
    sys.exit(f"next_runs: {error}")
