#!/usr/bin/env python3
"""Reads and writes Excel workbooks (.xlsx, ECMA-376) with the standard library.

Usage: python3 xlsx.py sheets BOOK
       python3 xlsx.py read BOOK [--sheet NAME] [--skip ROWS]       CSV to standard output
       python3 xlsx.py formulas BOOK
       python3 xlsx.py write NEW.xlsx FILE.csv [FILE.csv ...]
"""
import argparse
import csv
import datetime
import os
import posixpath
import re
import sys
import xml.etree.ElementTree as ET
import zipfile
from xml.sax.saxutils import escape, quoteattr

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
MAX_PART = 200 * 1024 * 1024
DATE_FORMATS = set(range(14, 23)) | set(range(45, 48))
NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?$")


class Book:
    def __init__(self, path: str):
        self.zip = zipfile.ZipFile(path)
        self.shared = []
        if "xl/sharedStrings.xml" in self.zip.namelist():
            self.shared = [text_of(item) for item in self.part("xl/sharedStrings.xml").findall(f"{MAIN}si")]
        book = self.part("xl/workbook.xml")
        settings = book.find(f"{MAIN}workbookPr")
        self.from_1904 = settings is not None and settings.get("date1904") in ("1", "true")
        links = {link.get("Id"): link.get("Target") for link in self.part("xl/_rels/workbook.xml.rels")}
        self.sheets = []
        for sheet in book.find(f"{MAIN}sheets"):
            target = links[sheet.get(LINK)]
            path_in = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))
            self.sheets.append((sheet.get("name"), path_in, sheet.get("state", "visible")))
        self.dates = self.date_styles()

    def part(self, name: str) -> ET.Element:
        if self.zip.getinfo(name).file_size > MAX_PART:
            raise ValueError(f"{name} is larger than {MAX_PART} bytes")
        text = self.zip.read(name)
        if b"<!DOCTYPE" in text[:2000]:
            raise ValueError(f"{name} has a document type, which workbooks do not have")
        return ET.fromstring(text)

    def date_styles(self) -> list:
        if "xl/styles.xml" not in self.zip.namelist():
            return []
        styles = self.part("xl/styles.xml")
        own = {
            int(each.get("numFmtId")): each.get("formatCode", "")
            for each in styles.iter(f"{MAIN}numFmt")
        }
        found = []
        cells = styles.find(f"{MAIN}cellXfs")
        for style in cells if cells is not None else []:
            number = int(style.get("numFmtId", "0"))
            code = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", own.get(number, ""))
            found.append(number in DATE_FORMATS or bool(re.search(r"[ymdhs]", code, re.I)))
        return found

    def cells(self, path: str):
        for row in self.part(path).iter(f"{MAIN}row"):
            yield int(row.get("r", "0")), [(cell.get("r", ""), cell) for cell in row.findall(f"{MAIN}c")]

    def value(self, cell: ET.Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return text_of(cell.find(f"{MAIN}is"))
        raw = cell.findtext(f"{MAIN}v")
        if raw is None:
            return ""
        if kind == "s":
            return self.shared[int(raw)]
        if kind == "b":
            return "TRUE" if raw == "1" else "FALSE"
        style = int(cell.get("s", "0"))
        if kind == "n" and style < len(self.dates) and self.dates[style]:
            return as_date(float(raw), self.from_1904)
        return raw[:-2] if kind == "n" and raw.endswith(".0") else raw


def text_of(item) -> str:
    if item is None:
        return ""
    # Phonetic hints stand beside the text and are not part of it.
    return "".join(part.text or "" for part in item.iter(f"{MAIN}t")) if item.find(f"{MAIN}rPh") is None else "".join(
        part.findtext(f"{MAIN}t") or "" for part in [item, *item.findall(f"{MAIN}r")]
    )


def as_date(number: float, from_1904: bool) -> str:
    # Day 60 of the usual calendar is a day that never was: 29 February 1900.
    start = datetime.datetime(1904, 1, 1) if from_1904 else datetime.datetime(1899, 12, 30 if number >= 60 else 31)
    moment = start + datetime.timedelta(seconds=round(number * 86400))
    if number < 1:
        return moment.strftime("%H:%M:%S")
    return moment.strftime("%Y-%m-%d") if number == int(number) else moment.strftime("%Y-%m-%d %H:%M:%S")


def column(reference: str) -> int:
    at = 0
    for letter in re.match(r"[A-Z]*", reference).group():
        at = at * 26 + ord(letter) - 64
    return at - 1


def letters(at: int) -> str:
    name = ""
    at += 1
    while at:
        at, rest = divmod(at - 1, 26)
        name = chr(65 + rest) + name
    return name


def read(options) -> int:
    book = Book(options.book)
    wanted = options.sheet or book.sheets[0][0]
    path = next((path for name, path, _ in book.sheets if name == wanted), None)
    if path is None:
        print(f"xlsx: there is no sheet {wanted}; there are {', '.join(name for name, _, _ in book.sheets)}", file=sys.stderr)
        return 1
    writer = csv.writer(sys.stdout, lineterminator="\n")
    rows, width = [], 0
    for number, cells in book.cells(path):
        row = {}
        for place, (reference, cell) in enumerate(cells):
            row[column(reference) if reference else place] = book.value(cell)
        width = max([width, *(at + 1 for at, value in row.items() if value != "")])
        if number > options.skip:
            rows.append(row)
    for row in rows:
        writer.writerow([row.get(at, "") for at in range(width)])
    return 0


def sheets(options) -> int:
    book = Book(options.book)
    for name, path, state in book.sheets:
        count = sum(1 for _ in book.cells(path)) if "worksheets" in path else 0
        print(f"{name}: {count} rows{'' if state == 'visible' else f' ({state})'}")
    return 0


def formulas(options) -> int:
    book = Book(options.book)
    for name, path, _ in book.sheets:
        for _, cells in book.cells(path):
            for reference, cell in cells:
                formula = cell.findtext(f"{MAIN}f")
                if formula:
                    print(f"{name}!{reference}: ={formula}  ->  {book.value(cell) or '(no value stored)'}")
    return 0


def sheet_xml(path: str) -> str:
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    lines = []
    for number, row in enumerate(rows, 1):
        cells = []
        for at, value in enumerate(row):
            place, style = f"{letters(at)}{number}", ' s="1"' if number == 1 else ""
            if value == "":
                continue
            if number > 1 and NUMBER.match(value):
                cells.append(f'<c r="{place}"{style}><v>{value}</v></c>')
            else:
                text = escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", value))
                cells.append(f'<c r="{place}"{style} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>')
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    view = '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews>'
    return f'<worksheet xmlns="{MAIN[1:-1]}">{view}<sheetData>{"".join(lines)}</sheetData></worksheet>'


def write(options) -> int:
    if os.path.exists(options.book):
        print(f"xlsx: {options.book} exists; choose a new name", file=sys.stderr)
        return 1
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    names: list[str] = []
    for file in options.files:
        name = re.sub(r"[\[\]:*?/\\]", " ", os.path.splitext(os.path.basename(file))[0])[:28].strip("' ") or "Sheet"
        unique, number = name, 2
        while unique.lower() in [each.lower() for each in names]:
            unique, number = f"{name} {number}", number + 1
        names.append(unique)
    numbers = range(1, len(names) + 1)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="{kinds}.styles+xml"/>'
        + "".join(f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kinds}.worksheet+xml"/>' for n in numbers)
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN[1:-1]}" xmlns:r="{relations}"><sheets>'
        + "".join(f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="rId{n}"/>' for n, name in zip(numbers, names))
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        + "".join(f'<Relationship Id="rId{n}" Type="{relations}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers)
        + f'<Relationship Id="rId{len(names) + 1}" Type="{relations}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN[1:-1]}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/></cellXfs></styleSheet>',
    }
    for n, file in zip(numbers, options.files):
        parts[f"xl/worksheets/sheet{n}.xml"] = sheet_xml(file)
    with zipfile.ZipFile(options.book, "x", zipfile.ZIP_DEFLATED) as book:
        for name, text in parts.items():
            book.writestr(name, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{text}')
    print(f"{options.book}: {', '.join(names)}")
    return 0


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = reader.add_subparsers(dest="command", required=True)
    for name, run in (("sheets", sheets), ("read", read), ("formulas", formulas), ("write", write)):
        command = commands.add_parser(name)
        command.add_argument("book")
        command.set_defaults(run=run)
        if name == "read":
            command.add_argument("--sheet")
            command.add_argument("--skip", type=int, default=0, help="rows to leave out at the top")
        if name == "write":
            command.add_argument("files", nargs="+")
    options = reader.parse_args()
    return options.run(options)


try:
    sys.exit(main())
except (zipfile.BadZipFile, KeyError, ValueError, ET.ParseError) as error:
    sys.exit(f"xlsx: this is no workbook that can be read: {error}")
