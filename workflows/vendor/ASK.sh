#!/usr/bin/env bash
# The gate: the agent waits, without a process, until a person answers or VENDOR_DEADLINE (default 3d) has passed.
set -euo pipefail

if [ ! -s vendor-research.md ]; then
  echo 'there is no vendor-research.md to show' >&2
  exit 1
fi
cat <<TAG
<ask next="DECIDE" timeout="${VENDOR_DEADLINE:-3d}" timeout_next="LATE" display_files="vendor-research.md:research.md"
  upload_bucket="true" upload_max_count="3" upload_mime="application/pdf,text/plain,text/markdown">
Shall we buy? Read research.md and answer "approved" or "rejected: REASON". An offer or a contract may come with the answer.
</ask>
TAG
