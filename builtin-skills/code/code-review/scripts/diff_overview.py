#!/usr/bin/env python3
"""Overview of a unified diff: size per file, and added lines worth a look.

Usage: git diff main...HEAD | python3 diff_overview.py
       python3 diff_overview.py changes.diff
"""
import re
import sys

HINTS = [
    ("conflict marker", re.compile(r"^(<{7}|>{7}|={7})( |$)")),
    ("possible secret", re.compile(r"(?i)(api[_-]?key|secret|passw(or)?d|token)\s*[:=]\s*['\"][^'\"]{8,}")),
    ("private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY")),
    ("disabled test", re.compile(r"\b(it|test|describe)\.(skip|only)\b|@(pytest\.mark\.skip|unittest\.skip|Ignore|Disabled)\b")),
    ("debug output", re.compile(r"\bconsole\.log\(|\bdebugger\b|\bbreakpoint\(\)|\bpdb\.set_trace|\bvar_dump\(|\bdbg!\(")),
    ("to do", re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")),
    ("silenced error", re.compile(r"except\s*(Exception)?\s*:\s*pass|catch\s*(\([^)]*\))?\s*\{\s*\}")),
    ("check switched off", re.compile(r"eslint-disable|@ts-ignore|# type: ignore|# noqa|//nolint|verify\s*=\s*False")),
]


def main() -> int:
    source = open(sys.argv[1], encoding="utf-8", errors="replace") if len(sys.argv) > 1 else sys.stdin
    files: dict[str, list[int]] = {}
    hints: list[str] = []
    name, line, in_hunk = "", 0, False
    for text in source:
        text = text.rstrip("\n")
        if text.startswith("diff --git"):
            in_hunk = False
            name = text.split(" b/")[-1]
            files.setdefault(name, [0, 0])
        elif text.startswith("+++ ") and not in_hunk:
            target = text[4:].split("\t")[0]
            if target != "/dev/null":
                name = target[2:] if target.startswith("b/") else target
            files.setdefault(name, [0, 0])
        elif text.startswith("@@"):
            found = re.match(r"@@ -\d+(?:,\d+)? \+(\d+)", text)
            line = int(found.group(1)) if found else 0
            in_hunk = True
        elif in_hunk and text.startswith("+"):
            files[name][0] += 1
            hints += [f"{name}:{line}  {what}: {text[1:].strip()[:90]}" for what, rule in HINTS if rule.search(text[1:])]
            line += 1
        elif in_hunk and text.startswith("-"):
            files[name][1] += 1
        elif in_hunk and not text.startswith("\\"):
            line += 1
    if not files:
        print("no changes in the input")
        return 1
    for path, (added, removed) in sorted(files.items(), key=lambda each: -sum(each[1])):
        print(f"+{added:<5} -{removed:<5} {path}")
    tests = [path for path in files if re.search(r"(^|/)(tests?|spec)s?/|[._-](test|spec)\.", path)]
    print(f"\n{len(files)} files, {len(tests)} of them tests")
    if hints:
        print("\nWorth a look:")
        print("\n".join(hints))
    return 0


sys.exit(main())
