#!/bin/sh
# Commits since the last tag, grouped by kind. Usage: sh changes.sh [FROM [TO]]
set -eu
to=${2:-HEAD}
from=${1:-$(git describe --tags --abbrev=0 "$to" 2>/dev/null || true)}
range=$to
[ -n "$from" ] && range=$from..$to
echo "Commits in $range"
git log --no-merges --reverse --format='%h%x09%s%x09%b%x1e' "$range" |
awk '
  BEGIN { RS = "\036"; FS = "\t"; names = "breaking security new fixed faster docs other" }
  { sub(/^\n+/, "") }
  $1 == "" { next }
  {
    subject = $2; low = tolower(subject); kind = "other"
    if (low ~ /^docs?[(:]|readme/) kind = "docs"
    if (low ~ /^perf[(:]|faster|speed/) kind = "faster"
    if (low ~ /^fix|[^a-z]fix(es|ed)?[^a-z]|bug|crash/) kind = "fixed"
    if (low ~ /^feat|^add |: add |^support |: support |^allow /) kind = "new"
    if (low ~ /secur|cve-|vulnerab/) kind = "security"
    if (low ~ /^[a-z]+(\([^)]*\))?!:/ || $3 ~ /BREAKING[ -]CHANGE/) kind = "breaking"
    lines[kind] = lines[kind] "  " $1 "  " subject "\n"; count++
  }
  END {
    n = split(names, order, " ")
    for (i = 1; i <= n; i++) if (lines[order[i]] != "") printf "\n%s\n%s", order[i], lines[order[i]]
    printf "\n%d commits\n", count
  }
'
