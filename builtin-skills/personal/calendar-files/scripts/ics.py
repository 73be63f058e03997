#!/usr/bin/env python3
"""Makes, shows and checks calendar files (RFC 5545). Commands: make, show, check; each has --help."""
import argparse
import datetime as dt
import os
import re
import sys
import uuid
import zoneinfo

UTC = dt.timezone.utc
WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
MAX_SHOWN = 1000


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\r\n", "\n").replace("\n", "\\n")


def plain(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found.group(1) in "nN" else found.group(1), text)


def folded(line: str) -> str:
    parts, current = [], b""
    for letter in line:
        data = letter.encode()
        if len(current) + len(data) > (75 if not parts else 74):
            parts.append(current)
            current = b""
        current += data
    parts.append(current)
    return "\r\n ".join(part.decode() for part in parts)


def zone_lines(name: str, year: int) -> list:
    """A VTIMEZONE with the changes of two years, which is enough for programs that know the name anyway."""
    zone = zoneinfo.ZoneInfo(name)
    lines = ["BEGIN:VTIMEZONE", f"TZID:{name}"]
    moment = dt.datetime(year - 1, 1, 1, tzinfo=UTC)
    before = moment.astimezone(zone)
    found = [("STANDARD" if not before.dst() else "DAYLIGHT", before.replace(tzinfo=None), before.utcoffset(), before)]
    for _ in range(3 * 366 * 24):
        moment += dt.timedelta(hours=1)
        now = moment.astimezone(zone)
        if now.utcoffset() != before.utcoffset():
            local = (now - now.utcoffset() + before.utcoffset()).replace(tzinfo=None)
            found.append(("DAYLIGHT" if now.dst() else "STANDARD", local, before.utcoffset(), now))
        before = now
    for kind, local, old, now in found:
        lines += [f"BEGIN:{kind}", f"DTSTART:{local:%Y%m%dT%H%M%S}", f"TZOFFSETFROM:{offset(old)}"]
        lines += [f"TZOFFSETTO:{offset(now.utcoffset())}", f"TZNAME:{now.tzname()}", f"END:{kind}"]
    return [*lines, "END:VTIMEZONE"]


def offset(value: dt.timedelta) -> str:
    minutes = int(value.total_seconds() // 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}{abs(minutes) % 60:02}"


def make(options) -> int:
    event = ["BEGIN:VEVENT", f"UID:{options.uid or f'{uuid.uuid4()}@svc'}", f"DTSTAMP:{dt.datetime.now(UTC):%Y%m%dT%H%M%SZ}"]
    event += [f"SEQUENCE:{options.sequence}", f"SUMMARY:{escaped(options.title)}"]
    zone: list = []
    if options.day:
        day = dt.date.fromisoformat(options.day)
        event += [f"DTSTART;VALUE=DATE:{day:%Y%m%d}", f"DTEND;VALUE=DATE:{day + dt.timedelta(days=options.days):%Y%m%d}"]
        when = f"{day:%A, %Y-%m-%d}, {options.days} day(s)"
    else:
        if not options.zone:
            raise ValueError("give --zone, such as Europe/Zurich; a time without a zone is another one everywhere")
        local = dt.datetime.fromisoformat(options.start).replace(tzinfo=zoneinfo.ZoneInfo(options.zone))
        if local.astimezone(UTC).astimezone(local.tzinfo).replace(tzinfo=None) != local.replace(tzinfo=None):
            raise ValueError(f"{options.start} does not exist in {options.zone}: the clocks are put forward then")
        end = local.astimezone(UTC) + dt.timedelta(minutes=options.minutes)
        if options.repeat:
            zone = zone_lines(options.zone, local.year)
            event += [f"DTSTART;TZID={options.zone}:{local:%Y%m%dT%H%M%S}"]
            event += [f"DTEND;TZID={options.zone}:{end.astimezone(local.tzinfo):%Y%m%dT%H%M%S}"]
        else:
            event += [f"DTSTART:{local.astimezone(UTC):%Y%m%dT%H%M%SZ}", f"DTEND:{end:%Y%m%dT%H%M%SZ}"]
        when = f"{local:%A, %Y-%m-%d %H:%M} {options.zone}, {options.minutes} minutes"
    if options.repeat:
        if not re.fullmatch(r"FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)(;[A-Z]+=[A-Z0-9,+\-]+)*", options.repeat):
            raise ValueError(f"{options.repeat} is not a rule such as FREQ=WEEKLY;BYDAY=MO;COUNT=10")
        event.append(f"RRULE:{options.repeat}")
    for name, value in (("LOCATION", options.place), ("DESCRIPTION", options.text), ("URL", options.url)):
        if value:
            event.append(f"{name}:{value if name == 'URL' else escaped(value)}")
    if options.remind is not None:
        event += ["BEGIN:VALARM", "ACTION:DISPLAY", f"DESCRIPTION:{escaped(options.title)}", f"TRIGGER:-PT{options.remind}M", "END:VALARM"]
    event.append("END:VEVENT")
    added = "".join(f"{folded(line)}\r\n" for line in event)
    if os.path.exists(options.file):
        if not options.append:
            raise ValueError(f"{options.file} exists; use --append or a new name")
        with open(options.file, encoding="utf-8", newline="") as file:
            old = file.read()
        at = old.rstrip().rfind("END:VCALENDAR")
        known = f"TZID:{options.zone}\r\n" in old
        text = old[:at] + ("" if known else "".join(f"{line}\r\n" for line in zone)) + added + "END:VCALENDAR\r\n"
    else:
        head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//svc//calendar-files//EN", "CALSCALE:GREGORIAN", *zone]
        text = "".join(f"{line}\r\n" for line in head) + added + "END:VCALENDAR\r\n"
    with open(f"{options.file}.new", "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.replace(f"{options.file}.new", options.file)
    print(f"{options.file}: {options.title}, {when}")
    return 0


def events(path: str) -> list:
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = re.sub(r"\r?\n[ \t]", "", file.read()).splitlines()
    found, stack = [], []
    for line in lines:
        name, _, value = line.partition(":")
        if name == "BEGIN":
            stack.append(value)
            if value == "VEVENT":
                found.append({})
        elif name == "END":
            stack and stack.pop()
        elif stack[-1:] == ["VEVENT"]:
            key, *parameters = name.split(";")
            found[-1].setdefault(key.upper(), []).append((dict(each.split("=", 1) for each in parameters if "=" in each), value))
    return found


def moment(entry):
    parameters, value = entry
    if re.fullmatch(r"\d{8}", value):
        return dt.datetime.strptime(value, "%Y%m%d").date()
    parsed = dt.datetime.strptime(value.rstrip("Z"), "%Y%m%dT%H%M%S")
    if value.endswith("Z"):
        return parsed.replace(tzinfo=UTC)
    name = parameters.get("TZID", "").strip('"')
    try:
        return parsed.replace(tzinfo=zoneinfo.ZoneInfo(name)) if name else parsed
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return parsed


def occurrences(start, rule: dict, until: dt.date):
    """Days of the usual rules: daily, weekly with days, monthly by day or by nth weekday, yearly."""
    day = start.date() if isinstance(start, dt.datetime) else start
    every, count = int(rule.get("INTERVAL", 1)), int(rule.get("COUNT", 0))
    last = dt.datetime.strptime(rule["UNTIL"][:8], "%Y%m%d").date() if "UNTIL" in rule else until
    days = rule["BYDAY"].split(",") if "BYDAY" in rule else []
    shown, step = 0, 0
    while step < 100_000:
        if rule["FREQ"] == "DAILY":
            group = [day + dt.timedelta(days=step * every)]
        elif rule["FREQ"] == "WEEKLY":
            monday = day - dt.timedelta(days=day.weekday()) + dt.timedelta(weeks=step * every)
            group = [monday + dt.timedelta(days=WEEKDAYS.index(each[-2:])) for each in days or [WEEKDAYS[day.weekday()]]]
        else:
            months = step * every * (12 if rule["FREQ"] == "YEARLY" else 1) + day.month - 1
            year, month = day.year + months // 12, months % 12 + 1
            length = ((dt.date(year + month // 12, month % 12 + 1, 1)) - dt.date(year, month, 1)).days
            all_days = [dt.date(year, month, n) for n in range(1, length + 1)]
            group = []
            for each in days:
                fit = [d for d in all_days if WEEKDAYS[d.weekday()] == each[-2:]]
                place = int(each[:-2]) if each[:-2] else 0
                group += fit if place == 0 else [fit[place - 1 if place > 0 else place]] if abs(place) <= len(fit) else []
            if not days:
                wanted = [int(n) for n in rule.get("BYMONTHDAY", str(day.day)).split(",")]
                group = [all_days[n - 1 if n > 0 else n] for n in wanted if 0 < abs(n) <= length]
        for each in sorted(group):
            if each < day:
                continue
            if each > min(last, until) or (count and shown >= count):
                return
            shown += 1
            yield each
        if group and min(group) > until:
            return
        step += 1


def show(options) -> int:
    lines, low = [], dt.date.fromisoformat(options.since) if options.since else dt.date.min
    high = dt.date.fromisoformat(options.to) if options.to else None
    for event in events(options.file):
        if "DTSTART" not in event:
            continue
        start = moment(event["DTSTART"][0])
        first = start.date() if isinstance(start, dt.datetime) else start
        title = plain(event.get("SUMMARY", [({}, "(no title)")])[0][1])
        without = {str(moment((each[0], value)))[:10] for each in event.get("EXDATE", []) for value in each[1].split(",")}
        days = [first]
        if "RRULE" in event:
            rule = dict(each.split("=", 1) for each in event["RRULE"][0][1].split(";"))
            days = list(occurrences(start, rule, high or first + dt.timedelta(days=366)))
        for day in days:
            if low <= day and (high is None or day <= high) and str(day) not in without:
                time = "all day" if not isinstance(start, dt.datetime) else f"{start:%H:%M} {start.tzname() if not isinstance(start.tzinfo, zoneinfo.ZoneInfo) else start.tzinfo.key}"
                lines.append((day, f"{day:%a %Y-%m-%d}  {time.replace('None', 'no zone')}  {title}"))
    for _, line in sorted(lines)[:MAX_SHOWN]:
        print(line)
    print(f"{len(lines)} events")
    return 0


def check(options) -> int:
    with open(options.file, "rb") as file:
        data = file.read()
    wrong = []
    if b"\n" in data.replace(b"\r\n", b""):
        wrong.append("lines end without CR")
    wrong += [f"line {n} has {len(line)} bytes; fold it at 75" for n, line in enumerate(data.split(b"\r\n"), 1) if len(line) > 75]
    text = data.decode("utf-8", "replace")
    if "\ufffd" in text:
        wrong.append("not UTF-8")
    stack = []
    for line in re.sub(r"\r?\n[ \t]", "", text).splitlines():
        name, _, value = line.partition(":")
        if name == "BEGIN":
            stack.append(value)
        elif name == "END" and (not stack or stack.pop() != value):
            wrong.append(f"END:{value} without its BEGIN")
    if stack:
        wrong.append(f"{stack[-1]} is not ended")
    for key in ("VERSION:2.0", "PRODID:"):
        if key not in text:
            wrong.append(f"{key} is missing")
    seen = set()
    for number, event in enumerate(events(options.file), 1):
        for key in ("UID", "DTSTAMP", "DTSTART"):
            if key not in event:
                wrong.append(f"event {number} has no {key}")
        ids = (event.get("UID", [({}, number)])[0][1], str(event.get("RECURRENCE-ID")))
        if ids in seen:
            wrong.append(f"event {number} has the UID of another one")
        seen.add(ids)
        if "DTSTART" in event:
            start = moment(event["DTSTART"][0])
            zone = event["DTSTART"][0][0].get("TZID")
            if zone and f"TZID:{zone}" not in text:
                wrong.append(f"event {number} uses the zone {zone}, which has no VTIMEZONE")
            if isinstance(start, dt.datetime) and start.tzinfo is None:
                wrong.append(f"event {number} has a time without a zone")
            if "DTEND" in event:
                end = moment(event["DTEND"][0])
                if type(end) is not type(start) or str(end)[:10] < str(start)[:10] or (type(end) is type(start) and end <= start):
                    wrong.append(f"event {number} does not end after it begins")
    for line in wrong:
        print(line)
    print("ok" if not wrong else f"{len(wrong)} faults")
    return 1 if wrong else 0


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    commands = reader.add_subparsers(dest="command", required=True)
    one = commands.add_parser("make")
    one.add_argument("file")
    one.add_argument("--title", required=True)
    when = one.add_mutually_exclusive_group(required=True)
    when.add_argument("--start", help="2026-03-09 14:30, local in --zone")
    when.add_argument("--day", help="all day: 2026-03-09")
    one.add_argument("--days", type=int, default=1)
    one.add_argument("--minutes", type=int, default=60)
    one.add_argument("--zone")
    one.add_argument("--repeat", help="FREQ=WEEKLY;BYDAY=MO;COUNT=10")
    one.add_argument("--remind", type=int, help="minutes before")
    one.add_argument("--place")
    one.add_argument("--text")
    one.add_argument("--url")
    one.add_argument("--uid")
    one.add_argument("--sequence", type=int, default=0)
    one.add_argument("--append", action="store_true")
    one.set_defaults(run=make)
    two = commands.add_parser("show")
    two.add_argument("file")
    two.add_argument("--from", dest="since")
    two.add_argument("--to")
    two.set_defaults(run=show)
    three = commands.add_parser("check")
    three.add_argument("file")
    three.set_defaults(run=check)
    options = reader.parse_args()
    return options.run(options)


try:
    sys.exit(main())
except (ValueError, zoneinfo.ZoneInfoNotFoundError, FileNotFoundError) as error:
    sys.exit(f"ics: {error}")
