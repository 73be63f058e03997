#!/usr/bin/env python3
"""Verifies the TLS certificates of servers, and says how many days they have left.

Usage: python3 check_tls.py HOST[:PORT] [HOST[:PORT] ...] [--warn-days 21] [--ca FILE] [--name NAME]
Exit code 1 if one is invalid, cannot be reached, or ends within --warn-days.
"""
import argparse
import socket
import ssl
import sys
import time


def look(target: str, options) -> bool:
    host, _, port = target.rpartition(":") if target.count(":") == 1 else (target, "", "443")
    host, port = (target, "443") if not host else (host, port)
    context = ssl.create_default_context(cafile=options.ca)
    try:
        with socket.create_connection((host, int(port)), timeout=options.seconds) as plain:
            with context.wrap_socket(plain, server_hostname=options.name or host) as secure:
                certificate, version = secure.getpeercert(), secure.version()
    except ssl.SSLCertVerificationError as error:
        print(f"BAD   {target}: {error.verify_message}")
        return False
    except (OSError, ValueError) as error:
        print(f"BAD   {target}: {error}")
        return False
    days = int((ssl.cert_time_to_seconds(certificate["notAfter"]) - time.time()) // 86400)
    names = [value for _, value in certificate.get("subjectAltName", ())]
    issuer = dict(pair[0] for pair in certificate["issuer"])
    soon = days < options.warn_days
    print(f"{'SOON ' if soon else 'ok   '} {target}: {days} days left, {version}, by {issuer.get('organizationName') or issuer.get('commonName')}, for {', '.join(names[:6])}")
    return not soon


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("targets", nargs="+")
    reader.add_argument("--warn-days", type=int, default=21)
    reader.add_argument("--ca", help="file of a private authority")
    reader.add_argument("--name", help="name to ask for and to verify")
    reader.add_argument("--seconds", type=float, default=10)
    options = reader.parse_args()
    return 0 if all([look(target, options) for target in options.targets]) else 1


sys.exit(main())
