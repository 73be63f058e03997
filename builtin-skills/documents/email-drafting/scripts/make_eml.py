#!/usr/bin/env python3
"""Writes an e-mail draft as a file (RFC 5322) that mail programs open for editing. Sends nothing.

Usage: python3 make_eml.py --to ADDRESS [--cc ADDRESS] --subject TEXT --body FILE [--attach FILE ...] DRAFT.eml
"""
import argparse
import email.utils
import mimetypes
import os
import re
import sys
from email.message import EmailMessage
from email.policy import SMTP

MAX_ATTACHMENT = 20 * 1024 * 1024


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("draft")
    reader.add_argument("--to", action="append", required=True)
    reader.add_argument("--cc", action="append", default=[])
    reader.add_argument("--from", dest="sender")
    reader.add_argument("--subject", required=True)
    reader.add_argument("--body", required=True, help="file with the text")
    reader.add_argument("--attach", action="append", default=[])
    reader.add_argument("--reply-to-id", help="Message-ID of the mail that is answered")
    options = reader.parse_args()
    for name, address in email.utils.getaddresses([*options.to, *options.cc]):
        if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", address):
            print(f"make_eml: {address or name!r} is not an address", file=sys.stderr)
            return 1
    text = open(options.body, encoding="utf-8").read()
    draft = EmailMessage(policy=SMTP)
    draft["To"] = ", ".join(options.to)
    if options.cc:
        draft["Cc"] = ", ".join(options.cc)
    if options.sender:
        draft["From"] = options.sender
    draft["Subject"] = options.subject
    draft["Date"] = email.utils.localtime()
    # Mail programs open a file with this header for editing instead of showing it.
    draft["X-Unsent"] = "1"
    if options.reply_to_id:
        draft["In-Reply-To"] = draft["References"] = f"<{options.reply_to_id.strip('<>')}>"
    draft.set_content(text)
    for path in options.attach:
        if os.path.getsize(path) > MAX_ATTACHMENT:
            print(f"make_eml: {path} is over 20 MB; most services refuse it", file=sys.stderr)
            return 1
        kind = (mimetypes.guess_type(path)[0] or "application/octet-stream").split("/", 1)
        with open(path, "rb") as file:
            draft.add_attachment(file.read(), maintype=kind[0], subtype=kind[1], filename=os.path.basename(path))
    with open(options.draft, "xb") as file:
        file.write(bytes(draft))
    if re.search(r"(?i)\battach|\banlage|\banhang|\bbeigefügt|pièce jointe", text) and not options.attach:
        print("the text speaks of an attachment, and there is none", file=sys.stderr)
    print(f"{options.draft}: to {', '.join(options.to)}, {len(text.split())} words, {len(options.attach)} attachments")
    return 0


try:
    sys.exit(main())
except FileExistsError as error:
    sys.exit(f"make_eml: {error.filename} exists; choose a new name")
except (FileNotFoundError, ValueError) as error:
    sys.exit(f"make_eml: {error}")
