#!/usr/bin/env python3
"""Checks and sums a plain-text ledger, and turns bank statements into bookings.

Commands: check, balance, spending, import; each has --help.
"""
import argparse
import csv
import datetime as dt
import re
import sys
from collections import defaultdict
from decimal import Decimal, InvalidOperation

AMOUNT = re.compile(r"([^\d\s.,+-]*)\s*([+-]?)\s*([^\d\s.,+-]*)\s*([\d.,]+)\s*([^\d\s.,=;@]*)$")


def amount(text: str, where: str):
    found = AMOUNT.match(text.strip())
    if not found:
        raise ValueError(f"{where}: not an amount: {text.strip()}")
    digits = found.group(4)
    if re.search(r",\d{1,2}$", digits):
        digits = digits.replace(".", "").replace(",", ".")
    value = Decimal(digits.replace(",", ""))
    return (-value if found.group(2) == "-" else value), found.group(1) or found.group(3) or found.group(5)


def bookings(path: str) -> list:
    found: list = []
    with open(path, encoding="utf-8-sig") as file:
        for number, raw in enumerate(file, 1):
            line = re.split(r"(?:^|\s);", raw.rstrip("\n"), maxsplit=1)[0].rstrip()
            where = f"line {number}"
            if not line or line[0] in "#*%|":
                continue
            if line[0].isspace():
                if not found:
                    raise ValueError(f"{where}: indented, but there is no booking above")
                account, _, rest = re.sub(r"\t+", "  ", line.strip()).partition("  ")
                if re.match(r"[(\[]", account) or "@" in rest:
                    raise ValueError(f"{where}: virtual accounts and prices are for ledger or hledger")
                value, _, expected = rest.partition("=")
                entry = {"account": account, "where": where, "value": None, "currency": None, "expected": None}
                if value.strip():
                    entry["value"], entry["currency"] = amount(value, where)
                if expected.strip():
                    entry["expected"] = amount(expected, where)
                found[-1]["lines"].append(entry)
                continue
            head = re.match(r"(\d{4})[-/.](\d\d?)[-/.](\d\d?)(?:=\S+)?\s*([*!]?)\s*(.*)", line)
            if not head:
                if line.split()[0] in ("account", "commodity", "D", "decimal-mark", "payee", "tag"):
                    continue
                raise ValueError(f"{where}: {line.split()[0]} is for ledger or hledger, this script does not read it")
            day = dt.date(*map(int, head.group(1, 2, 3)))
            found.append({"day": day, "text": head.group(5).strip(), "where": where, "lines": []})
    for each in found:
        sums: dict = defaultdict(Decimal)
        open_lines = [line for line in each["lines"] if line["value"] is None]
        for line in each["lines"]:
            if line["value"] is not None:
                sums[line["currency"]] += line["value"]
        rest = {currency: value for currency, value in sums.items() if value != 0}
        if len(open_lines) > 1:
            raise ValueError(f"{each['where']}: two lines have no amount")
        if open_lines:
            if len(rest) > 1:
                raise ValueError(f"{each['where']}: two currencies are left for {open_lines[0]['account']}")
            currency, value = next(iter(rest.items()), (next(iter(sums), ""), Decimal(0)))
            open_lines[0].update(value=-value, currency=currency)
        elif rest:
            text = ", ".join(f"{value} {currency}".strip() for currency, value in rest.items())
            raise ValueError(f"{each['where']}: {each['text']} does not add up, {text} is left")
    return found


def check(options) -> int:
    wrong, last = [], dt.date.min
    balance: dict = defaultdict(Decimal)
    accounts: dict = {}
    all_bookings = bookings(options.file)
    for each in all_bookings:
        if each["day"] < last:
            wrong.append(f"{each['where']}: {each['day']} comes after {last}")
        last = max(last, each["day"])
        for line in each["lines"]:
            key = (line["account"], line["currency"])
            balance[key] += line["value"]
            if line["expected"] and balance[(line["account"], line["expected"][1])] != line["expected"][0]:
                wrong.append(f"{line['where']}: {line['account']} is {balance[key]}, asserted is {line['expected'][0]}")
            other = accounts.setdefault(line["account"].lower(), line["account"])
            if other != line["account"]:
                wrong.append(f"{line['where']}: {line['account']} is {other} elsewhere")
    for line in wrong:
        print(line)
    print(f"{len(all_bookings)} bookings, {len(accounts)} accounts, {len(wrong)} faults")
    return 1 if wrong else 0


def balance(options) -> int:
    sums: dict = defaultdict(Decimal)
    for each in bookings(options.file):
        if options.until and each["day"] > dt.date.fromisoformat(options.until):
            continue
        for line in each["lines"]:
            sums[(line["account"], line["currency"])] += line["value"]
    for (account, currency), value in sorted(sums.items()):
        if value != 0:
            print(f"{value:>14,.2f} {currency:<4} {account}")
    return 0


def spending(options) -> int:
    sums: dict = defaultdict(Decimal)
    biggest: list = []
    for each in bookings(options.file):
        if not str(each["day"]).startswith(options.month):
            continue
        for line in each["lines"]:
            if line["account"].startswith("Expenses"):
                sums[(line["account"], line["currency"])] += line["value"]
                biggest.append((line["value"], line["currency"], each["day"], each["text"]))
    plan: dict = {}
    if options.budget:
        with open(options.budget, newline="", encoding="utf-8-sig") as file:
            plan = {row["account"]: Decimal(row["amount"]) for row in csv.DictReader(file)}
    for (account, currency), value in sorted(sums.items(), key=lambda each: -each[1]):
        allowed = plan.get(account)
        note = "" if allowed is None else f"  of {allowed}, {'OVER by ' + str(value - allowed) if value > allowed else str(allowed - value) + ' left'}"
        print(f"{value:>12,.2f} {currency:<4} {account}{note}")
    for account in sorted(set(plan) - {account for account, _ in sums}):
        print(f"{0:>12.2f}      {account}  of {plan[account]}")
    print("\nBiggest:")
    for value, currency, day, text in sorted(biggest, reverse=True)[:5]:
        print(f"{value:>12,.2f} {currency:<4} {day} {text}")
    return 0


def day_of(text: str) -> dt.date:
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%Y/%m/%d"):
        try:
            return dt.datetime.strptime(text.strip(), form).date()
        except ValueError:
            continue
    raise ValueError(f"not a date: {text}")


def bring_in(options) -> int:
    with open(options.rules, newline="", encoding="utf-8-sig") as file:
        rules = [(row[0].lower(), row[1].strip()) for row in csv.reader(file) if len(row) > 1 and row[0]]
    with open(options.file, newline="", encoding=options.encoding) as file:
        sample = file.read(8192)
        file.seek(0)
        rows = list(csv.DictReader(file, delimiter=max(";,\t", key=sample.count)))
    found, unknown = [], 0
    for number, row in enumerate(rows, 2):
        for column in (options.date, options.amount, options.text):
            if column not in row:
                raise ValueError(f"there is no column {column}; there are {', '.join(row)}")
        value, currency = amount(row[options.amount], f"row {number}")
        text = re.sub(r"[\s;|]+", " ", row[options.text] or "").strip()
        account = next((account for part, account in rules if part in text.lower()), None)
        unknown += account is None
        account = account or ("Income:Unknown" if value > 0 else "Expenses:Unknown")
        money = f"{-value} {currency or options.currency}".strip()
        found.append((day_of(row[options.date]), f"{text}\n    {account:<36}  {money}\n    {options.account}\n"))
    for day, body in sorted(found, key=lambda each: each[0]):
        print(f"{day} * {body}")
    print(f"{len(found)} bookings, {unknown} without a rule", file=sys.stderr)
    return 0


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = reader.add_subparsers(dest="command", required=True)
    for name, run in (("check", check), ("balance", balance), ("spending", spending), ("import", bring_in)):
        command = commands.add_parser(name)
        command.add_argument("file")
        command.set_defaults(run=run)
        if name == "balance":
            command.add_argument("--until")
        if name == "spending":
            command.add_argument("--month", required=True, help="2026-03, or 2026 for a year")
            command.add_argument("--budget", help="CSV with the columns account,amount")
        if name == "import":
            command.add_argument("rules")
            for option in ("account", "date", "amount", "text"):
                command.add_argument(f"--{option}", required=True)
            command.add_argument("--currency", default="EUR")
            command.add_argument("--encoding", default="utf-8-sig")
    options = reader.parse_args()
    return options.run(options)


try:
    sys.exit(main())
except (ValueError, InvalidOperation, FileNotFoundError) as error:
    sys.exit(f"money: {error}")
