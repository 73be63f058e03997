#!/usr/bin/env python3
"""Summary of a log: levels, lines for each hour, common and rare kinds of lines.

Usage: python3 summarize_log.py FILE|- [--level error] [--from TIME] [--to TIME] [--top 15] [--compare OLDER]
TIME as 2026-03-02T14:00. Lines without a time belong to the line above.
"""
import argparse
import collections
import gzip
import re
import sys

STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)")
WEB = re.compile(r"\[(\d\d)/(\w{3})/(\d{4}):(\d\d:\d\d:\d\d)")
MONTHS = {name: number for number, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
LEVEL = re.compile(r"\b(FATAL|CRITICAL|CRIT|ERROR|ERR|WARNING|WARN|INFO|NOTICE|DEBUG|TRACE)\b", re.I)
SAME = {"CRIT": "FATAL", "CRITICAL": "FATAL", "ERR": "ERROR", "WARNING": "WARN", "NOTICE": "INFO", "TRACE": "DEBUG"}
MARKS = [
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*|\[\d\d/\w{3}/\d{4}:[^\]]*\]|^\w{3} [ \d]\d \d\d:\d\d:\d\d"), "<time>"),
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"), "<id>"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"), "<address>"),
    (re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+"), "<mail>"),
    (re.compile(r"\"[^\"]*\"|'[^']*'"), "<text>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b", re.I), "<id>"),
    (re.compile(r"\d+(?:\.\d+)?"), "<n>"),
]


def time_of(line: str):
    found = STAMP.search(line[:200])
    if found:
        return f"{found.group(1)}T{found.group(2)}"
    found = WEB.search(line[:300])
    if found:
        day, month, year, clock = found.groups()
        return f"{year}-{MONTHS.get(month, 0):02}-{day}T{clock}"
    return None


def kind_of(line: str) -> str:
    text = line.strip()[:500]
    for rule, mark in MARKS:
        text = rule.sub(mark, text)
    return text[:160]


def lines_of(path: str):
    if path == "-":
        yield from sys.stdin
        return
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", errors="replace") as file:
        yield from file


def read(path: str, options):
    kinds: collections.Counter = collections.Counter()
    levels: collections.Counter = collections.Counter()
    hours: collections.Counter = collections.Counter()
    first: dict = {}
    count, now, keep = 0, None, True
    for number, line in enumerate(lines_of(path), 1):
        moment = time_of(line)
        if moment is None and now is not None:
            continue
        now = moment or now
        found = LEVEL.search(line[:300])
        level = SAME.get(found.group(1).upper(), found.group(1).upper()) if found else "none"
        keep = not options.level or level.lower() == options.level.lower()
        if moment and ((options.since and moment < options.since) or (options.to and moment >= options.to)):
            keep = False
        if not keep or not line.strip():
            continue
        count += 1
        levels[level] += 1
        if moment:
            hours[moment[:13]] += 1
        kind = kind_of(line)
        kinds[kind] += 1
        first.setdefault(kind, (number, line.strip()[:200]))
    return count, levels, hours, kinds, first


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("file")
    reader.add_argument("--level", choices=["fatal", "error", "warn", "info", "debug", "none"])
    reader.add_argument("--from", dest="since")
    reader.add_argument("--to")
    reader.add_argument("--top", type=int, default=15)
    reader.add_argument("--compare", help="an older log; shows what is new")
    options = reader.parse_args()
    count, levels, hours, kinds, first = read(options.file, options)
    if count == 0:
        print("no lines fit")
        return 1
    print(f"{count} entries, {len(kinds)} kinds; levels: {', '.join(f'{name} {n}' for name, n in levels.most_common())}")
    if hours:
        print("\nBy hour:")
        most = max(hours.values())
        for hour, n in sorted(hours.items())[-48:]:
            print(f"  {hour}  {n:>7}  {'#' * max(1, round(40 * n / most))}")
    if options.compare:
        older, _, _, before, _ = read(options.compare, argparse.Namespace(**{**vars(options), "since": None, "to": None}))
        print("\nNew, or ten times as frequent:")
        for kind, n in kinds.most_common():
            if n / count > 10 * before.get(kind, 0) / max(older, 1):
                print(f"  {n:>7} (before {before.get(kind, 0)})  line {first[kind][0]}: {first[kind][1]}")
        return 0
    print("\nCommonest kinds:")
    for kind, n in kinds.most_common(options.top):
        print(f"  {n:>7}  {kind}")
    rare = [kind for kind, n in kinds.items() if n <= 2 and LEVEL.search(kind) and re.search(r"(?i)fatal|crit|err|warn", kind)]
    if rare and len(kinds) > options.top:
        print("\nRare warnings and errors:")
        for kind in rare[: options.top]:
            print(f"  line {first[kind][0]}: {first[kind][1]}")
    return 0


try:
    sys.exit(main())
except (OSError, EOFError) as error:
    sys.exit(f"summarize_log: {error}")
