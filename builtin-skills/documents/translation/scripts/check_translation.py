#!/usr/bin/env python3
"""Compares a translated file of texts with its original: JSON, .properties or .strings.

Usage: python3 check_translation.py ORIGINAL TRANSLATION [--ratio 1.6]; exit code 1 if something is wrong.
"""
import argparse
import collections
import json
import re
import sys

PLACEHOLDER = re.compile(r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|\{\w*\}|%(?:\d+\$)?[-+0 #]*\d*(?:\.\d+)?[sdifxu@]|%%")
TAG = re.compile(r"</?[A-Za-z][\w-]*[^<>]*>")


def flatten(value, prefix=""):
    if isinstance(value, dict):
        for key, each in value.items():
            yield from flatten(each, f"{prefix}.{key}" if prefix else key)
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from flatten(each, f"{prefix}[{at}]")
    elif isinstance(value, str):
        yield prefix, value


def once(pairs):
    keys = [key for key, _ in pairs]
    twice = [key for key, count in collections.Counter(keys).items() if count > 1]
    if twice:
        raise ValueError(f"{twice[0]} is in one object twice")
    return dict(pairs)


def load(path: str) -> dict:
    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    if path.endswith(".json"):
        return dict(flatten(json.loads(text, object_pairs_hook=once)))
    if path.endswith(".strings"):
        return dict(re.findall(r'^\s*"((?:[^"\\]|\\.)*)"\s*=\s*"((?:[^"\\]|\\.)*)"\s*;', text, re.M))
    joined = re.sub(r"\\\n\s*", "", text)
    return {key: value for key, value in re.findall(r"^\s*([^#!\s=:][^=:\s]*)\s*[=:]\s*(.*)$", joined, re.M)}


def bag(rule, text):
    return collections.Counter(rule.findall(text))


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("original")
    reader.add_argument("translation")
    reader.add_argument("--ratio", type=float, default=1.6)
    options = reader.parse_args()
    one, two = load(options.original), load(options.translation)
    wrong = [f"missing: {key}" for key in one if key not in two] + [f"surplus: {key}" for key in two if key not in one]
    doubts = []
    for key, text in one.items():
        other = two.get(key)
        if other is None:
            continue
        if text.strip() and not other.strip():
            wrong.append(f"empty: {key}")
            continue
        for name, rule in (("placeholders", PLACEHOLDER), ("tags", TAG)):
            mine, theirs = bag(rule, text), bag(rule, other)
            if mine != theirs:
                wrong.append(f"{name} of {key}: {sorted(mine.elements())} became {sorted(theirs.elements())}")
        if text.count("\n") + text.count("\\n") != other.count("\n") + other.count("\\n"):
            wrong.append(f"line breaks of {key}")
        if text[:1].isspace() != other[:1].isspace() or text[-1:].isspace() != other[-1:].isspace():
            wrong.append(f"space at the border of {key}")
        if text == other and len(re.findall(r"[^\W\d_]{3,}", PLACEHOLDER.sub("", text))) > 1:
            doubts.append(f"not translated? {key}: {text[:50]}")
        if len(text) > 8 and len(other) > options.ratio * len(text):
            doubts.append(f"long: {key} ({len(text)} became {len(other)} characters)")
    for line in wrong + doubts:
        print(line)
    print(f"{len(one)} texts, {len(wrong)} faults, {len(doubts)} doubts")
    return 1 if wrong else 0


try:
    sys.exit(main())
except (ValueError, OSError) as error:
    sys.exit(f"check_translation: {error}")
