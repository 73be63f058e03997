#!/usr/bin/env python3
"""Makes a plain PDF (A4 or letter) from a text file. Lines that begin with "# " are headings.

Usage: python3 make_pdf.py TEXT.txt OUT.pdf [--title TEXT] [--paper a4|letter] [--size 11]
Letters of Western Europe only (Windows-1252); others become "?", and the exit code is 3.
"""
import argparse
import datetime
import os
import sys
import textwrap

PAPER = {"a4": (595, 842), "letter": (612, 792)}
MARGIN = 56


def quoted(text: str) -> bytes:
    data = text.encode("cp1252", "replace")
    return b"(" + data.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)") + b")"


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("text")
    reader.add_argument("out")
    reader.add_argument("--title")
    reader.add_argument("--paper", choices=PAPER, default="a4")
    reader.add_argument("--size", type=int, default=11)
    options = reader.parse_args()
    if os.path.exists(options.out):
        print(f"make_pdf: {options.out} exists; choose a new name", file=sys.stderr)
        return 1
    text = open(options.text, encoding="utf-8").read()
    width, height = PAPER[options.paper]
    size, leading = options.size, round(options.size * 1.35)
    # Courier: every character is 0.6 of the size wide, so that lines can be broken without a font file.
    columns = int((width - 2 * MARGIN) / (size * 0.6))
    lines: list[tuple[str, str]] = []
    for paragraph in text.splitlines():
        heading = paragraph.startswith("# ")
        font = "F2" if heading else "F1"
        body = paragraph[2:] if heading else paragraph.expandtabs(4)
        indent = " " * (len(body) - len(body.lstrip()))
        wrapped = textwrap.wrap(body, columns, subsequent_indent=indent, replace_whitespace=False, drop_whitespace=True)
        lines += [(font, line) for line in wrapped] or [("F1", "")]
    fit = int((height - 2 * MARGIN) / leading)
    pages = [lines[at : at + fit] for at in range(0, len(lines), fit)] or [[]]
    objects: list[bytes] = [b"", b""]
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>")
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier-Bold /Encoding /WinAnsiEncoding >>")
    kids = []
    for number, page in enumerate(pages, 1):
        parts = [b"BT", b"%d TL" % leading, b"1 0 0 1 %d %d Tm" % (MARGIN, height - MARGIN - size)]
        for font, line in page:
            parts.append(b"/%s %d Tf %s Tj T*" % (font.encode(), size, quoted(line)))
        parts.append(b"ET")
        if len(pages) > 1:
            parts.append(b"BT /F1 8 Tf %d 30 Td %s Tj ET" % (width // 2 - 20, quoted(f"{number} / {len(pages)}")))
        content = b"\n".join(parts)
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>"
            % (width, height, len(objects))
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    now = datetime.datetime.now(datetime.timezone.utc).strftime("D:%Y%m%d%H%M%SZ")
    objects.append(b"<< /Title %s /CreationDate (%s) >>" % (quoted(options.title or options.text), now.encode()))
    out = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(objects), start)
    with open(options.out, "xb") as file:
        file.write(out)
    lost = sorted({letter for letter in text if letter not in "\n\r" and letter.encode("cp1252", "ignore") == b""})
    print(f"{options.out}: {len(pages)} pages")
    if lost:
        print(f"replaced by ?: {' '.join(lost[:20])}; use LibreOffice for this text", file=sys.stderr)
        return 3
    return 0


sys.exit(main())
