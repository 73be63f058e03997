#!/usr/bin/env python3
"""Checks backup files in a folder: age, size against earlier ones, and whether archives can be read to the end.

Usage: python3 check_backups.py FOLDER --pattern "db-*.sql.gz" [--max-age-hours 26] [--min-bytes 1] [--all]
Exit code 1 if something is wrong. Writes nothing.
"""
import argparse
import bz2
import fnmatch
import gzip
import lzma
import os
import pathlib
import sqlite3
import statistics
import sys
import tarfile
import time
import zipfile
import zlib

BLOCK = 1024 * 1024


def drain(stream) -> int:
    total = 0
    while block := stream.read(BLOCK):
        total += len(block)
    return total


def read_to_end(path: str) -> str:
    with open(path, "rb") as file:
        head = file.read(16)
    if head.startswith(b"SQLite format 3\0"):
        # Immutable: not even the files beside a database are made.
        database = sqlite3.connect(f"{pathlib.Path(path).resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            answer = database.execute("PRAGMA integrity_check(1)").fetchone()[0]
        finally:
            database.close()
        if answer != "ok":
            raise ValueError(answer)
        return "database is whole"
    if head.startswith(b"PK"):
        with zipfile.ZipFile(path) as archive:
            bad = archive.testzip()
            if bad:
                raise ValueError(f"{bad} is damaged")
            return f"{len(archive.namelist())} entries"
    if tarfile.is_tarfile(path):
        count = 0
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                count += 1
                content = archive.extractfile(member) if member.isfile() else None
                if content:
                    drain(content)
        # The end of the compressed stream holds its checksum, which reading the members does not reach.
        drain_compressed(path, head)
        return f"{count} entries"
    size = drain_compressed(path, head)
    return "not an archive, only its size was checked" if size is None else f"{size} bytes inside"


def drain_compressed(path: str, head: bytes):
    for magic, opener in ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ", lzma.open)):
        if head.startswith(magic):
            with opener(path, "rb") as stream:
                return drain(stream)
    return None


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder")
    reader.add_argument("--pattern", default="*")
    reader.add_argument("--max-age-hours", type=float, default=26)
    reader.add_argument("--min-bytes", type=int, default=1)
    reader.add_argument("--shrink", type=float, default=0.5, help="smaller than this part of the median is suspect")
    reader.add_argument("--all", action="store_true", help="read all files to the end, not only the newest")
    options = reader.parse_args()
    found = [entry for entry in os.scandir(options.folder) if entry.is_file() and fnmatch.fnmatch(entry.name, options.pattern)]
    found.sort(key=lambda entry: entry.stat().st_mtime)
    if not found:
        print(f"there is no {options.pattern} in {options.folder}")
        return 1
    wrong = []
    newest = found[-1]
    age = (time.time() - newest.stat().st_mtime) / 3600
    size = newest.stat().st_size
    print(f"{len(found)} files; newest {newest.name}, {size} bytes, {age:.1f} hours old")
    if age > options.max_age_hours:
        wrong.append(f"the newest is {age:.0f} hours old; at most {options.max_age_hours:g} are allowed")
    if age < -1:
        wrong.append("the newest is from the future: the clock is wrong")
    if size < options.min_bytes:
        wrong.append(f"{newest.name} has only {size} bytes")
    before = [entry.stat().st_size for entry in found[-11:-1]]
    if before and size < options.shrink * statistics.median(before):
        wrong.append(f"{newest.name} has {size} bytes; the ones before had {statistics.median(before):.0f}")
    for entry in found if options.all else [newest]:
        try:
            print(f"{entry.name}: {read_to_end(entry.path)}")
        except (OSError, EOFError, ValueError, tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, sqlite3.Error) as error:
            wrong.append(f"{entry.name} cannot be read to the end: {error or type(error).__name__}")
    for line in wrong:
        print(f"WRONG: {line}")
    return 1 if wrong else 0


try:
    sys.exit(main())
except OSError as error:
    sys.exit(f"check_backups: {error}")
