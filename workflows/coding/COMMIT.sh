#!/usr/bin/env bash
# Comes after the function that 1_START called: RAYMOND_RESULT is the commit message that the review ended with.
set -euo pipefail

git add -A
# A turn that is tried again finds the commit already made, and only reports it.
if ! git diff --cached --quiet; then
  printf '%s\n' "${RAYMOND_RESULT:-}" | git commit --quiet --file -
fi

if [ "$(git rev-parse HEAD)" = "$(cat coding-notes/base)" ]; then
  echo "<result>Nothing was changed.</result>"
else
  # A subject with markup in it must not be read as a tag.
  echo "<result>Committed $(git log -1 --format='%h %s' | tr -d '<>')</result>"
fi
