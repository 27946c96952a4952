#!/usr/bin/env bash
# Lays out the folders, forgets the request of an earlier round, and says where the next one is expected.
set -euo pipefail

mkdir -p poll-inbox "poll-work/$RAYMOND_WORKFLOW_ID"
rm -f "poll-work/$RAYMOND_WORKFLOW_ID/request"
echo "<print>Waiting for a file in $PWD/poll-inbox</print>"
echo "<goto>POLL</goto>"
