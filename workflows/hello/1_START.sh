#!/usr/bin/env bash
# The entry point. RAYMOND_INPUT holds the text of --input; the <goto> carries it on to the next state.
set -euo pipefail

# Inside an attribute of a tag there can be no quotation mark and no angle bracket.
name=$(printf '%s' "${RAYMOND_INPUT:-world}" | tr -d '"<>')

echo "Greeting $name."
echo "<goto input=\"$name\">GREET</goto>"
