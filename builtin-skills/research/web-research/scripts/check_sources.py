#!/usr/bin/env python3
"""Checks that marks such as [1] in a report and its list of sources fit together.

Usage: python3 check_sources.py REPORT.md; exit code 1 if something is wrong. A source is a line that begins with "[1]" or "[1]:".
"""
import re
import sys


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.read().splitlines()
    sources: dict = {}
    used: dict = {}
    wrong, doubts = [], []
    in_code = False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            in_code = not in_code
        if in_code:
            continue
        entry = re.match(r"\s*(?:[-*]\s*)?\[(\d+)\]:?\s+(.*)", line)
        if entry:
            mark, text = int(entry.group(1)), entry.group(2)
            if mark in sources:
                wrong.append(f"line {number}: source [{mark}] is there twice")
            sources[mark] = text
            continue
        marks = [int(mark) for group in re.findall(r"\[(\d+(?:\s*,\s*\d+)*)\](?!\()", line) for mark in group.split(",")]
        for mark in marks:
            used.setdefault(mark, number)
        for sentence in re.split(r"(?<=[.!?])\s+", line):
            figures = re.search(r"\d+(?:[.,]\d+)?\s?(?:%|percent|million|billion|km|kg|EUR|USD|€|\$)|\b(?:19|20)\d\d\b", sentence)
            if figures and not re.search(r"\[\d+(?:\s*,\s*\d+)*\]", sentence) and not line.startswith("#"):
                doubts.append(f"line {number}: a figure without a source: {sentence.strip()[:70]}")
    wrong += [f"line {number}: [{mark}] has no source" for mark, number in sorted(used.items()) if mark not in sources]
    wrong += [f"source [{mark}] is used nowhere" for mark in sorted(sources) if mark not in used]
    addresses: dict = {}
    for mark, text in sorted(sources.items()):
        address = re.search(r"https?://[^\s>)]+", text)
        if not address:
            wrong.append(f"source [{mark}] has no address")
        elif address.group() in addresses:
            wrong.append(f"sources [{addresses[address.group()]}] and [{mark}] are the same page")
        else:
            addresses[address.group()] = mark
        if not re.search(r"\b(?:19|20)\d\d\b", text):
            doubts.append(f"source [{mark}] has no date")
    for line in wrong + doubts:
        print(line)
    print(f"{len(sources)} sources, {len(used)} used, {len(wrong)} faults, {len(doubts)} doubts")
    return 1 if wrong else 0


sys.exit(main())
