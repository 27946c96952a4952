#!/usr/bin/env bash
# Takes the list of items (one per line) that --input names, or the sample list of this folder, and lays it out for DISPATCH.
set -euo pipefail

list=${RAYMOND_INPUT:-$RAYMOND_STATE_DIR/items.txt}
work=dispatch-work/$RAYMOND_WORKFLOW_ID

if [ ! -f "$list" ]; then
  echo "dispatch: there is no list $list in $PWD; name a file with one item per line by --input" >&2
  exit 1
fi
if grep -q '["<>]' "$list"; then
  echo "dispatch: an item in $list contains a quotation mark or an angle bracket; a tag cannot carry it" >&2
  exit 1
fi

mkdir -p "$work"
# Empty lines and Windows line ends go; awk rather than grep, because an empty list is no failure.
tr -d '\r' <"$list" | awk 'NF' >"$work/items.txt"
: >"$work/turns.txt"
echo "<goto>DISPATCH</goto>"
