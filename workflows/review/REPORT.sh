#!/usr/bin/env bash
# Counts the findings that stand.
set -euo pipefail

review=review-notes/review.md
if [ ! -f "$review" ]; then
  echo "review: VERIFY wrote no $review" >&2
  exit 1
fi
count=$(grep -c '^## ' "$review" || true)
if [ "$count" = 0 ]; then
  echo "<result>No finding stands.</result>"
else
  echo "<result>Findings: $count; read $review</result>"
fi
