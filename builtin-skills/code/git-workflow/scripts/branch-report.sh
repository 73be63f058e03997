#!/bin/sh
# Lists local branches and what could happen to them. Changes nothing.
# Usage: sh branch-report.sh [BASE]; BASE is the branch that others are merged into.
set -eu
base=${1:-}
if [ -z "$base" ]; then
  for name in main master trunk develop; do
    if git show-ref --verify --quiet "refs/heads/$name"; then base=$name; break; fi
  done
fi
[ -n "$base" ] || { echo "branch-report: name the base branch" >&2; exit 2; }
printf '%-10s %-12s %-7s %s\n' STATE LAST AHEAD BRANCH
git for-each-ref --sort=committerdate --format='%(refname:short)	%(committerdate:short)	%(upstream:track)' refs/heads |
while IFS='	' read -r name date track; do
  [ "$name" = "$base" ] && continue
  ahead=$(git rev-list --count "$base..$name")
  state=open
  [ "$track" = '[gone]' ] && state=gone
  # A squashed branch has no commit of its own in the base, but the same changes.
  if [ "$ahead" -gt 0 ] && [ -z "$(git cherry "$base" "$name" | grep '^+' || true)" ]; then state=applied; fi
  [ "$ahead" -eq 0 ] && state=merged
  printf '%-10s %-12s %-7s %s\n' "$state" "$date" "$ahead" "$name"
done
