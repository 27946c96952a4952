#!/usr/bin/env bash
# The last state: its <result> ends the agent, and `raymond start` prints the text inside.
set -euo pipefail

echo "<result>Hello, ${RAYMOND_INPUT:-world}!</result>"
