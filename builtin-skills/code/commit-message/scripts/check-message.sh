#!/bin/sh
# Checks the form of a commit message in a file. Exit code 1 when something is wrong.
# Usage: sh check-message.sh FILE
set -eu
[ $# -eq 1 ] || { echo "usage: check-message.sh FILE" >&2; exit 2; }
awk '
  function say(text) { print "line " NR ": " text; bad = 1 }
  /^#/ { next }
  !seen && /^[[:space:]]*$/ { next }
  !seen {
    seen = 1; first = NR
    if (length($0) > 72) say("the subject has " length($0) " characters; 72 are enough")
    if ($0 ~ /\.$/) say("no full stop at the end of the subject")
    text = $0; sub(/^[^ ]+: /, "", text); split(text, words, " ")
    if (words[1] ~ /^([Aa]dded|[Ff]ixed|[Cc]hanged|[Rr]emoved|[Uu]pdated|[Ff]ixes|[Aa]dds|[Rr]emoves|[Uu]pdates|[Ff]ixing|[Aa]dding|[Uu]pdating)$/)
      say("use the imperative instead of \"" words[1] "\"")
    if (text ~ /^(wip|WIP|update|fix|changes|misc)$/) say("the subject says nothing")
    next
  }
  NR == first + 1 && $0 != "" { say("leave an empty line after the subject") }
  length($0) > 72 && $0 ~ / / && $0 !~ /:\/\// { say("longer than 72 characters") }
  END {
    if (!seen) { print "the message is empty"; bad = 1 }
    if (!bad) print "ok"
    exit bad
  }
' "$1"
