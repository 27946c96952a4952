#!/usr/bin/env bash
# Writes what is to be reviewed into files: the changes since a revision (--input), or those that are not committed.
set -euo pipefail

fail() {
  echo "review: $1" >&2
  exit 1
}

since=${RAYMOND_INPUT:-HEAD}
git rev-parse --quiet --verify HEAD >/dev/null 2>&1 || fail "start this in the top folder of a git repository with a commit; $PWD is none"
commit=$(git rev-parse --quiet --verify --end-of-options "$since^{commit}") || fail "git knows no revision \"$since\""
# On another branch, what that branch did meanwhile is no change of this one.
base=$(git merge-base "$commit" HEAD) || fail "\"$since\" and this branch have no commit in common"

# The notes of this workflow and Raymond's own files are not part of any change.
exclude=$(git rev-parse --git-path info/exclude)
mkdir -p "$(dirname "$exclude")"
for folder in review-notes/ .raymond/; do
  grep -qxF "$folder" "$exclude" 2>/dev/null || echo "$folder" >>"$exclude"
done

mkdir -p review-notes
rm -f review-notes/*
git diff "$base" >review-notes/change.diff
git ls-files --others --exclude-standard >review-notes/new-files.txt

if [ -s review-notes/change.diff ] || [ -s review-notes/new-files.txt ]; then
  echo "<goto>REVIEW.md</goto>"
else
  echo "<result>Nothing was changed.</result>"
fi
