#!/usr/bin/env bash
# Looks once into the inbox, then starts again with <reset delay>: waiting costs no tokens and no process, and survives a crash of the machine.
# POLL_INTERVAL is the pause between two looks in seconds (default 2).
set -euo pipefail

request=poll-work/$RAYMOND_WORKFLOW_ID/request

# The first file is claimed by moving it. Once there is a claim, no second one is made: a turn that is tried again goes on with it.
for file in poll-inbox/*; do
  [ ! -f "$request" ] || break
  [ -f "$file" ] || continue
  # Another run may have been faster; then this file is not ours.
  mv "$file" "$request" 2>/dev/null || continue
done

if [ -f "$request" ]; then
  echo "<reset input=\"$request\">PROCESS</reset>"
else
  echo "<reset delay=\"${POLL_INTERVAL:-2}s\">POLL</reset>"
fi
