#!/usr/bin/env python3
"""Turns subtitles (.vtt, .srt) into readable text, one paragraph for each speaker's turn.

Usage: python3 transcript.py FILE [--no-times]; shares of speaking time go to standard error.
"""
import argparse
import collections
import html
import re
import sys

TIMES = re.compile(r"(?:(\d+):)?(\d\d):(\d\d)[.,](\d{3})\s*-->\s*(?:(\d+):)?(\d\d):(\d\d)[.,](\d{3})")


def seconds(parts) -> float:
    hours, minutes, rest, thousandths = parts
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(rest) + int(thousandths) / 1000


def cues(text: str):
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n").lstrip("\ufeff")):
        lines = block.strip().split("\n")
        at = next((at for at, line in enumerate(lines) if TIMES.search(line)), None)
        if at is None:
            continue
        found = TIMES.search(lines[at]).groups()
        body = " ".join(line.strip() for line in lines[at + 1 :])
        speaker = None
        voice = re.match(r"<v(?:\.[\w.]+)?\s+([^>]+)>", body)
        named = re.match(r"([A-Z][\w .'-]{0,40}):\s+", body)
        if voice:
            speaker = voice.group(1).strip()
        elif named:
            speaker, body = named.group(1), body[named.end() :]
        body = html.unescape(re.sub(r"<[^>]*>", "", body)).strip()
        if body:
            yield seconds(found[:4]), seconds(found[4:]), speaker, body


def clock(moment: float) -> str:
    return f"{int(moment) // 3600:02}:{int(moment) % 3600 // 60:02}:{int(moment) % 60:02}"


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("file")
    reader.add_argument("--no-times", action="store_true")
    options = reader.parse_args()
    turns: list = []
    share: collections.Counter = collections.Counter()
    with open(options.file, encoding="utf-8", errors="replace") as file:
        for start, end, speaker, body in cues(file.read()):
            share[speaker or "unknown"] += end - start
            last = turns[-1] if turns else None
            # Live captions repeat the line before; a pause of eight seconds begins a paragraph.
            if last and last["speaker"] == speaker and start - last["end"] < 8:
                if not last["text"].endswith(body):
                    last["text"] += f" {body}"
                last["end"] = end
            else:
                turns.append({"speaker": speaker, "start": start, "end": end, "text": body})
    if not turns:
        print("transcript: no subtitles in this file", file=sys.stderr)
        return 1
    for turn in turns:
        time = "" if options.no_times else f"[{clock(turn['start'])}] "
        print(f"{time}{turn['speaker'] + ': ' if turn['speaker'] else ''}{turn['text']}\n")
    total = sum(share.values()) or 1
    for speaker, spoken in share.most_common():
        print(f"{speaker}: {clock(spoken)} ({100 * spoken / total:.0f} %)", file=sys.stderr)
    return 0


sys.exit(main())
