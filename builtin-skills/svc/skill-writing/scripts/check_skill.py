#!/usr/bin/env python3
"""Checks the form of a skill folder. Usage: python3 check_skill.py FOLDER [FOLDER ...]; exit code 1 if something is wrong."""
import os
import re
import sys

MAX_FILE = 256 * 1024
MAX_ALL = 1024 * 1024


def check(folder: str) -> list:
    path = os.path.join(folder, "SKILL.md")
    if not os.path.isfile(path):
        return ["there is no SKILL.md"]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    wrong = []
    found = re.match(r"---\n(.*?)\n---\n(.*)", text, re.S)
    if not found:
        return ["it does not begin with a block between two lines ---"]
    head, body = found.groups()
    fields = dict(re.findall(r"^([a-z_-]+):[ \t]*(.*)$", head, re.M))
    name, description = (fields.get(key, "").strip("'\" ") for key in ("name", "description"))
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or len(name) > 64:
        wrong.append(f"name: {name!r} is not of small letters, digits and single hyphens, at most 64")
    if name != os.path.basename(os.path.abspath(folder)):
        wrong.append("name: differs from the folder")
    if not 20 <= len(description) <= 1024:
        wrong.append(f"description: {len(description)} characters; 20 to 1024 are right")
    if "use " not in description.lower():
        wrong.append("description: does not say when to use it")
    if re.search(r":\s", description) and not re.search(r"^description:\s*['\"|>]", head, re.M):
        wrong.append("description: has a colon, so it needs quotation marks")
    if len(body.splitlines()) > 200:
        wrong.append(f"{len(body.splitlines())} lines; move tables to references/")
    named = set(re.findall(r"\b((?:references|scripts|assets)/[\w./-]*\w)", body))
    wrong += [f"{each} is named and missing" for each in sorted(named) if not os.path.exists(os.path.join(folder, each))]
    total = 0
    for where, _, files in os.walk(folder):
        for file in files:
            full = os.path.join(where, file)
            inside = os.path.relpath(full, folder).replace(os.sep, "/")
            if os.path.islink(full):
                wrong.append(f"{inside} is a link")
                continue
            size = os.path.getsize(full)
            total += size
            if size > MAX_FILE:
                wrong.append(f"{inside} has {size} bytes; {MAX_FILE} at most")
            if inside != "SKILL.md" and inside not in named and not any(inside.startswith(f"{each}/") for each in named):
                wrong.append(f"{inside} is named nowhere in SKILL.md")
    if total > MAX_ALL:
        wrong.append(f"{total} bytes in all; {MAX_ALL} at most")
    return wrong


if len(sys.argv) < 2:
    sys.exit(__doc__)
bad = 0
for each in sys.argv[1:]:
    problems = check(each)
    bad += bool(problems)
    print(f"{each}: {'ok' if not problems else ''}")
    for problem in problems:
        print(f"  {problem}")
sys.exit(1 if bad else 0)
