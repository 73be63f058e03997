#!/usr/bin/env python3
"""Format, pixels, orientation and location data of images, with the standard library.

Usage: python3 image_info.py FILE [FILE ...]; knows PNG, JPEG, GIF, WebP, BMP. Exit code 1 if a file is not known.
"""
import struct
import sys

TURNS = {1: "upright", 2: "mirrored", 3: "upside down", 4: "mirrored, upside down", 5: "mirrored, turned", 6: "turn right", 7: "mirrored, turned", 8: "turn left"}


def exif(data: bytes) -> list:
    """Facts of a TIFF block: orientation and whether there is a directory of the place."""
    if data[:2] not in (b"II", b"MM"):
        return []
    order = "<" if data[:2] == b"II" else ">"
    facts = ["has EXIF"]
    (start,) = struct.unpack_from(order + "I", data, 4)
    (count,) = struct.unpack_from(order + "H", data, start)
    for at in range(count):
        tag, kind, _, value = struct.unpack_from(order + "HHII", data, start + 2 + 12 * at)
        if tag == 0x0112:
            (turn,) = struct.unpack_from(order + "H", data, start + 2 + 12 * at + 8)
            facts.append(f"orientation: {TURNS.get(turn, turn)}")
        if tag == 0x8825:
            (entries,) = struct.unpack_from(order + "H", data, value)
            tags = [struct.unpack_from(order + "H", data, value + 2 + 12 * n)[0] for n in range(entries)]
            if 2 in tags and 4 in tags:
                facts.append("SAYS WHERE IT WAS TAKEN")
    return facts


def jpeg(data: bytes):
    at, size, facts = 2, None, []
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            break
        mark = data[at + 1]
        if mark == 0xFF:
            at += 1
            continue
        if mark in (0xD8, 0x01) or 0xD0 <= mark <= 0xD7:
            at += 2
            continue
        (length,) = struct.unpack_from(">H", data, at + 2)
        body = data[at + 4 : at + 2 + length]
        if mark == 0xE1 and body.startswith(b"Exif\0\0"):
            facts += exif(body[6:])
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", body, 1)
            size = (width, height)
            if mark == 0xC2:
                facts.append("progressive")
        if mark == 0xDA:
            break
        at += 2 + length
    return "JPEG", size, facts


def png(data: bytes):
    width, height, depth, colour = struct.unpack_from(">IIBB", data, 16)
    facts = [{0: "grey", 2: "colour", 3: "palette", 4: "grey with transparency", 6: "colour with transparency"}.get(colour, "?"), f"{depth} bit"]
    at = 8
    while at + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"eXIf":
            facts += exif(data[at + 8 : at + 8 + length])
        if kind == b"acTL":
            facts.append("animated")
        at += 12 + length
    return "PNG", (width, height), facts


def webp(data: bytes):
    kind = data[12:16]
    if kind == b"VP8X":
        size = tuple(1 + int.from_bytes(data[at : at + 3], "little") for at in (24, 27))
        flags = data[20]
        facts = [name for bit, name in ((16, "transparency"), (8, "has EXIF"), (2, "animated")) if flags & bit]
        found = data.find(b"EXIF", 30)
        if found > 0:
            block = data[found + 8 :]
            facts += exif(block[6:] if block.startswith(b"Exif\0\0") else block)[1:]
        return "WebP", size, facts
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return "WebP", (1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)), ["lossless"]
    width, height = struct.unpack_from("<HH", data, 26)
    return "WebP", (width & 0x3FFF, height & 0x3FFF), []


def describe(path: str) -> bool:
    with open(path, "rb") as file:
        data = file.read()
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            kind, size, facts = png(data)
        elif data.startswith(b"\xff\xd8"):
            kind, size, facts = jpeg(data)
        elif data[:6] in (b"GIF87a", b"GIF89a"):
            kind, size, facts = "GIF", struct.unpack_from("<HH", data, 6), []
        elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            kind, size, facts = webp(data)
        elif data[:2] == b"BM":
            width, height = struct.unpack_from("<ii", data, 18)
            kind, size, facts = "BMP", (width, abs(height)), []
        else:
            print(f"{path}: not a format this script knows; it begins with {data[:8].hex(' ')}")
            return False
    except (struct.error, IndexError):
        print(f"{path}: damaged or cut off")
        return False
    shape = f"{size[0]} x {size[1]}" if size else "size unknown"
    print(f"{path}: {', '.join([kind, shape, f'{len(data)} bytes', *facts])}")
    return size is not None


if len(sys.argv) < 2:
    sys.exit(__doc__)
sys.exit(0 if all([describe(path) for path in sys.argv[1:]]) else 1)
