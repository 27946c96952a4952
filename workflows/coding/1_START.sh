#!/usr/bin/env bash
# Checks everything that would spoil the work later, before a token is spent, and writes the task down for the prompts.
set -euo pipefail

fail() {
  echo "coding: $1" >&2
  exit 1
}

[ -n "${RAYMOND_INPUT:-}" ] || fail "say what to build: raymond start workflows/coding --input \"…\""
[ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] || fail "start this in the top folder of a git repository; $PWD is none"
git rev-parse --quiet --verify HEAD >/dev/null || fail "the repository needs a first commit"
git var GIT_COMMITTER_IDENT >/dev/null 2>&1 || fail "git does not know who you are; set user.name and user.email"

# The notes of this workflow and Raymond's own files must not end up in the commit.
exclude=$(git rev-parse --git-path info/exclude)
mkdir -p "$(dirname "$exclude")"
for folder in coding-notes/ .raymond/; do
  grep -qxF "$folder" "$exclude" 2>/dev/null || echo "$folder" >>"$exclude"
done
[ -z "$(git status --porcelain)" ] || fail "commit or stash your changes first: the last state commits all it finds"

mkdir -p coding-notes
printf '%s\n' "$RAYMOND_INPUT" >coding-notes/task.md
git rev-parse HEAD >coding-notes/base

# Planning, building and review are one function: its result, a commit message, comes back to COMMIT.
echo "<function return=\"COMMIT\">PLAN</function>"
