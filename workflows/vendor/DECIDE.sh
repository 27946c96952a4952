#!/usr/bin/env bash
# Reads the decision by its first word, so that no model can misread it; any other answer is asked for again.
set -euo pipefail

cp "$RAYMOND_INPUT_FILE" vendor-decision.txt
case "$(tr '[:upper:]' '[:lower:]' <vendor-decision.txt)" in
  approved*|rejected*) echo "<goto files=\"$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID\">REPORT</goto>" ;;
  *) echo '<goto>ASK</goto>' ;;
esac
