#!/usr/bin/env bash
# Starts one worker for the next item and comes back to itself; ends when the list is empty.
set -euo pipefail

work=dispatch-work/$RAYMOND_WORKFLOW_ID

# The n-th turn takes the n-th item. A turn that is tried again after a crash keeps its RAYMOND_TURN_ID, finds its own line
# and takes the same item again: no item is lost and none is handed out twice.
grep -qxF "$RAYMOND_TURN_ID" "$work/turns.txt" || echo "$RAYMOND_TURN_ID" >>"$work/turns.txt"
number=$(grep -nxF "$RAYMOND_TURN_ID" "$work/turns.txt" | cut -d: -f1)
item=$(sed -n "${number}p" "$work/items.txt")

if [ -z "$item" ]; then
  echo "<result>$((number - 1)) items handed out; the answers are in $work</result>"
else
  echo "<fork next=\"DISPATCH\" item=\"$item\" out=\"$work/$number.md\">WORKER</fork>"
fi
