#!/usr/bin/env python3
"""Texts and calls through Twilio (API version 2010-04-01). Commands: account, text, call, status, recent; each has --help.

Reads TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_PHONE_NUMBER from the environment.
"""
import argparse
import base64
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from xml.sax.saxutils import escape, quoteattr

SERVICE = "https://api.twilio.com"
# Characters of one text part in the seven-bit alphabet of GSM 03.38; those of the second list count twice.
PLAIN = set("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà")
DOUBLE = set("^{}\\[~]|€\f")
EMERGENCY = {"112", "911", "999", "110", "117", "118", "119", "144", "143", "000", "111", "190", "192"}


class Failure(Exception):
    pass


def setting(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise Failure(f"{name} is not set; see the skill's first lines")
    return value


def number(text: str) -> str:
    plain = re.sub(r"[ ()./-]", "", text)
    # Also behind a country code, which has one to three digits.
    if any(plain[skip:] in EMERGENCY for skip in ((2, 3, 4) if plain.startswith("+") else (0,))):
        raise Failure("emergency numbers are not called: tell the user to call")
    if not re.fullmatch(r"\+[1-9]\d{6,14}", plain):
        raise Failure(f"{text} is not an international number such as +41790000000")
    return plain


def parts(text: str) -> int:
    if all(letter in PLAIN or letter in DOUBLE for letter in text):
        length = sum(2 if letter in DOUBLE else 1 for letter in text)
        return 1 if length <= 160 else -(-length // 153)
    length = len(text.encode("utf-16-le")) // 2
    return 1 if length <= 70 else -(-length // 67)


def ask(options, path: str, form=None) -> dict:
    account, token = setting("TWILIO_ACCOUNT_SID"), setting("TWILIO_AUTH_TOKEN")
    address = f"{options.service}/2010-04-01/Accounts/{urllib.parse.quote(account)}{path}"
    if not address.startswith("https://") and not re.match(r"http://(127\.0\.0\.1|localhost)[:/]", address):
        raise Failure("the token is sent over https only")
    data = urllib.parse.urlencode(form).encode() if form else None
    request = urllib.request.Request(address, data)
    request.add_header("Authorization", "Basic " + base64.b64encode(f"{account}:{token}".encode()).decode())
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        try:
            answer = json.load(error)
        except ValueError:
            answer = {}
        raise Failure(f"Twilio refused it ({error.code}): {answer.get('message', error.reason)} [{answer.get('code', '-')}]")
    except (urllib.error.URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        doubt = " It may have been sent: look at `recent` before you try again." if form else ""
        raise Failure(f"no answer from Twilio: {reason}.{doubt}")


def account(options) -> None:
    answer = ask(options, ".json")
    print(f"{answer.get('friendly_name')}: {answer.get('status')}, {answer.get('type')}")


def text(options) -> None:
    to, sender = number(options.to), setting("TWILIO_PHONE_NUMBER")
    count = parts(options.message)
    if count > 10:
        raise Failure(f"{count} parts; a text has ten at most")
    print(f"text from {sender} to {to}, {count} part(s): {options.message}")
    if options.dry_run:
        print("nothing was sent")
        return
    answer = ask(options, "/Messages.json", {"From": sender, "To": to, "Body": options.message})
    print(f"{answer.get('sid')}: {answer.get('status')}")


def call(options) -> None:
    to, sender = number(options.to), setting("TWILIO_PHONE_NUMBER")
    say = f"<Say language={quoteattr(options.language)}>{escape(options.message)}</Say>"
    order = f'<Response><Pause length="1"/>{say}<Pause length="2"/>{say}</Response>'
    print(f"call from {sender} to {to}: {options.message}")
    if options.dry_run:
        print("no call was made")
        return
    answer = ask(options, "/Calls.json", {"From": sender, "To": to, "Twiml": order, "Timeout": "40"})
    print(f"{answer.get('sid')}: {answer.get('status')}")


def status(options) -> None:
    if not re.fullmatch(r"(SM|MM|CA)[0-9a-f]{32}", options.sid):
        raise Failure(f"{options.sid} is not the id of a text (SM…) or a call (CA…)")
    kind = "Calls" if options.sid.startswith("CA") else "Messages"
    answer = ask(options, f"/{kind}/{options.sid}.json")
    error = f", error {answer['error_code']}: {answer.get('error_message')}" if answer.get("error_code") else ""
    print(f"{answer.get('sid')}: {answer.get('status')}{error}, to {answer.get('to')}")


def recent(options) -> None:
    for kind, key in (("Messages", "messages"), ("Calls", "calls")):
        answer = ask(options, f"/{kind}.json?PageSize={options.count}")
        for each in answer.get(key, []):
            print(f"{each.get('date_created')}  {each.get('status')}  {each.get('to')}  {(each.get('body') or 'call')[:60]}")


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--service", default=SERVICE, help=argparse.SUPPRESS)
    commands = reader.add_subparsers(dest="command", required=True)
    for name, run in (("account", account), ("text", text), ("call", call), ("status", status), ("recent", recent)):
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        if name in ("text", "call"):
            command.add_argument("--to", required=True)
            command.add_argument("--message", required=True)
            command.add_argument("--dry-run", action="store_true")
        if name == "call":
            command.add_argument("--language", default="en-US")
        if name == "status":
            command.add_argument("sid")
        if name == "recent":
            command.add_argument("--count", type=int, default=10)
    options = reader.parse_args()
    options.run(options)
    return 0


try:
    sys.exit(main())
except Failure as error:
    sys.exit(f"phone: {error}")
