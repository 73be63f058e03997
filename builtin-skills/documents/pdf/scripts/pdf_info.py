#!/usr/bin/env python3
"""Says what a PDF file is, without any other program. Usage: python3 pdf_info.py FILE [FILE ...]

It reads objects and compressed object streams. It does not decrypt: of an encrypted file only the outline is known.
"""
import re
import sys
import zlib

MAX_INFLATED = 64 * 1024 * 1024


def inflate(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, MAX_INFLATED)
    except zlib.error:
        return b""


def streams(data: bytes):
    for found in re.finditer(rb"(<<(?:[^<>]|<[^<]|>[^>]|<<(?:[^<>]|<<[^<>]*>>)*>>)*>>)\s*stream\r?\n", data):
        end = data.find(b"endstream", found.end())
        if end > 0:
            yield found.group(1), data[found.end() : end]


def describe(path: str) -> bool:
    with open(path, "rb") as file:
        data = file.read()
    head = re.search(rb"%PDF-(\d\.\d)", data[:1024])
    if not head:
        print(f"{path}: not a PDF file")
        return False
    encrypted = re.search(rb"/Encrypt\s+\d+\s+\d+\s+R", data) is not None
    objects, drawn = data, b""
    for header, body in streams(data):
        if b"/FlateDecode" in header:
            plain = b"" if encrypted else inflate(body)
            if b"/ObjStm" in header:
                objects += plain
            elif b"/Image" not in header and b"/FontFile" not in header and b"/XRef" not in header:
                drawn += plain
        elif b"/Filter" not in header:
            drawn += body
    # A page tree says how many pages are below; its root has the largest number.
    counts = [int(n) for n in re.findall(rb"/Type\s*/Pages\b[^>]*?/Count\s+(\d+)", objects)]
    counts += [int(n) for n in re.findall(rb"/Count\s+(\d+)[^>]*?/Type\s*/Pages\b", objects)]
    pages = max(counts, default=len(re.findall(rb"/Type\s*/Page\b(?!s)", objects)))
    has_text = re.search(rb"(\)|>|\])\s*T[jJ]\b|\)\s*'", drawn) is not None
    has_images = re.search(rb"/Subtype\s*/Image\b", objects) is not None
    facts = [f"PDF {head.group(1).decode()}", f"{pages} pages", f"{len(data)} bytes"]
    if encrypted:
        facts.append("encrypted")
    else:
        facts.append("has text" if has_text else "scan without text" if has_images else "no text found")
    for name, mark in (
        ("form", rb"/AcroForm\b"),
        ("XFA form", rb"/XFA\b"),
        ("attachments", rb"/EmbeddedFiles\b"),
        ("JavaScript", rb"/(JavaScript|JS)\b"),
        ("starts programs", rb"/Launch\b"),
        ("signature", rb"/Type\s*/Sig\b"),
    ):
        if re.search(mark, objects):
            facts.append(name)
    if b"%%EOF" not in data[-2048:]:
        facts.append("the end is missing: cut off or damaged")
    print(f"{path}: {', '.join(facts)}")
    for key in (b"Title", b"Author", b"Producer", b"CreationDate"):
        found = re.search(rb"/" + key + rb"\s*\(((?:[^()\\]|\\.)*)\)", objects)
        if found and not encrypted:
            text = found.group(1)
            print(f"  {key.decode()}: {text.decode('utf-16-be' if text.startswith(bytes([254, 255])) else 'latin-1', 'replace')}")
    return True


if len(sys.argv) < 2:
    sys.exit(__doc__)
sys.exit(0 if all([describe(path) for path in sys.argv[1:]]) else 1)
