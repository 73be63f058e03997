#!/usr/bin/env python3
"""Tries a regular expression (Python dialect) on examples, one per line.

Usage: python3 try_regex.py PATTERN --yes yes.txt --no no.txt [--search] [--ignore-case] [--groups]
Without --search the whole line has to match. Exit code 1 if an example is wrong.
"""
import argparse
import multiprocessing
import re
import sys


def judge(pattern, flags, whole, line, answer):
    rule = re.compile(pattern, flags)
    found = rule.fullmatch(line) if whole else rule.search(line)
    answer.put(None if found is None else (found.group(0), found.groups(), found.groupdict()))


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("pattern")
    reader.add_argument("--yes", help="file of lines that must match")
    reader.add_argument("--no", help="file of lines that must not match")
    reader.add_argument("--search", action="store_true", help="a part of the line is enough")
    reader.add_argument("--ignore-case", action="store_true")
    reader.add_argument("--groups", action="store_true", help="show what the groups hold")
    reader.add_argument("--seconds", type=float, default=2, help="limit for one line")
    options = reader.parse_args()
    flags = re.IGNORECASE if options.ignore_case else 0
    try:
        re.compile(options.pattern, flags)
    except re.error as error:
        print(f"not a pattern: {error}")
        return 2
    wrong = total = 0
    for path, expected in ((options.yes, True), (options.no, False)):
        if path is None:
            continue
        for line in open(path, encoding="utf-8").read().splitlines():
            total += 1
            answer = multiprocessing.Queue()
            work = multiprocessing.Process(
                target=judge, args=(options.pattern, flags, not options.search, line, answer)
            )
            work.start()
            work.join(options.seconds)
            if work.is_alive():
                work.kill()
                work.join()
                wrong += 1
                print(f"too slow (over {options.seconds:g} s): {line[:80]}")
                continue
            found = answer.get()
            if (found is not None) != expected:
                wrong += 1
                print(f"{'does not match, but must' if expected else 'matches, but must not'}: {line[:80]}")
            elif found and options.groups:
                print(f"{line[:60]}: {found[2] or found[1]}")
    print(f"{total - wrong} of {total} examples are right")
    return 1 if wrong or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
