// Scripts of bash that run well and look like mistakes.
import { END, lines, type Files } from './kit.js';

/** What is right, and the package. */
export const RIGHT_SHELL: readonly (readonly [what: string, files: Files])[] = [
  [
    'numbers with decimals that awk and bc compare, and whole parts of them',
    {
      'workflow.yaml': 'id: x\nenvironment: { LIMIT: "1.5" }\n',
      'START.sh': lines(
        'rate=$(cat rate)',
        'percent=$(echo "scale=2; $rate * 100 / 7" | bc | cut -d. -f1)',
        'is_more=$(echo "$rate / 7 > $LIMIT" | bc -l)',
        'if [ "${rate%.*}" -gt "${LIMIT%.*}" ] && [ "$is_more" -eq 1 ]; then',
        '  echo "<result>$((percent * 2))</result>"',
        'else',
        '  echo "<result>low</result>"',
        'fi',
      ),
    },
  ],
  [
    'a text in a file that a state has tested for its characters',
    {
      'START.sh': lines(
        'goal=$RAYMOND_INPUT',
        'if ! [[ $goal =~ ^[A-Za-z0-9_.-]+$ ]]; then',
        '  exit 1',
        'fi',
        'printf "%s" "$goal" >"$RAYMOND_TASK_FOLDER/goal.txt"',
        'echo "<goto>NEXT</goto>"',
      ),
      'NEXT.sh': lines('goal=$(cat "$RAYMOND_TASK_FOLDER/goal.txt")', 'echo "<goto goal=\\"$goal\\">SHOW</goto>"'),
      'SHOW.sh': 'echo "<result>$goal</result>"\n',
    },
  ],
  [
    'a value that a state has kept in the task folder',
    {
      'START.sh': lines('printf "%s" "${RAYMOND_INPUT%/}" > "$RAYMOND_TASK_FOLDER/site"', 'echo "<goto>NEXT</goto>"'),
      'NEXT.sh': lines('site=$(cat "$RAYMOND_TASK_FOLDER/site")', 'echo "<goto site=\\"$site\\">SHOW</goto>"'),
      'SHOW.sh': 'echo "<result>$site</result>"\n',
    },
  ],
  [
    'counts that may be 0 under set -e',
    {
      'START.sh': lines(
        'set -euo pipefail',
        'open=$(grep -c TODO list.txt || true)',
        'drafts=$(find . -name "*.md" | wc -l)',
        'if grep -q x list.txt; then found=1; else found=0; fi',
        'count=0',
        '((count++)) || true',
        'total=1',
        '((total++))',
        'set +e',
        'npm test >&2',
        'code=$?',
        'set -e',
        'make >&2 && ok=$? || ok=$?',
        'if [ "$open" -eq 0 ] && [ "$drafts" -eq 0 ]; then',
        '  echo "<result>$found $count $total $code $ok</result>"',
        'else',
        '  echo "<goto>END</goto>"',
        'fi',
      ),
      ...END,
    },
  ],
  [
    'a count that a function makes, which a condition calls under set -e',
    {
      'START.sh': lines(
        'set -e',
        'isEmpty() {',
        '  n=$(grep -c TODO list.txt)',
        '  [ "$n" -eq 0 ]',
        '}',
        'if isEmpty; then echo "<result>none</result>"; else echo "<goto>END</goto>"; fi',
      ),
      ...END,
    },
  ],
  [
    'a search that must find something under set -e',
    {
      'START.sh': lines(
        'set -e',
        'version=$(grep -n version package.json | cut -d: -f1)',
        'line=$(sed -n "${version}p" package.json)',
        'if long=$(grep -n x list.txt | cut -d: -f1); then echo "$long" >&2; fi',
        'echo "<result>$line</result>"',
      ),
    },
  ],
  [
    'loops and variables around pipes',
    {
      'START.sh': lines(
        'total=0',
        'while read -r size; do total=$((total + size)); done < <(cat sizes.txt)',
        'ls | while read -r file; do name=${file%.md}; echo "$name" >&2; done',
        'name=all',
        'git rev-parse HEAD | { read -r commit; echo "$commit" >&2; }',
        'echo "<result>$name $total</result>"',
      ),
    },
  ],
  [
    'pipelines whose exit code is that of the program',
    {
      'START.sh': lines(
        'set -u -o pipefail',
        'if npm test 2>&1 | tee test.log >&2; then echo "<result>ok</result>"; else echo "<goto>END</goto>"; fi',
      ),
      'END.sh': lines(
        'make 2>&1 | tee make.log >&2 || true',
        'if echo "done" | tee -a log.txt >&2 && git log | grep -q fix; then echo "<result>x</result>"; else echo "<result>y</result>"; fi',
      ),
    },
  ],
  [
    'numbers that are compared as numbers, and texts of one width',
    {
      'START.sh': lines(
        'size=$(wc -c <data.txt)',
        'day=$(date +%Y%m%d)',
        'name=$(cat name.txt)',
        'if [ "$size" -gt 500 ] || (( size > 20 )); then echo "<result>large</result>"; exit 0; fi',
        'if [[ $day > 20250101 || $name < m || $(date +%H) > 08 ]]; then echo "<result>x</result>"; else echo "<goto>NEXT</goto>"; fi',
      ),
      'NEXT.py': lines(
        'import os',
        'attempt = int(os.environ.get("RAYMOND_ATTEMPT", "1"))',
        'print("<result>late</result>" if attempt > 3 else "<result>fine</result>")',
      ),
    },
  ],
  [
    'numbers with a zero before them',
    {
      'START.sh': lines(
        'month=$(date +%m)',
        'day=$(date +%-d)',
        'echo "<goto chapter=\\"$(printf "%02d" "$((10#$month + day))")\\">WRITE</goto>"',
      ),
      'WRITE.sh': 'echo "<result>chapter $chapter, $((10#$chapter + 1))</result>"\n',
    },
  ],
  [
    'functions that log to stderr, and values without logs',
    {
      'START.sh': lines(
        'log() { echo "$*" >&2; }',
        'say() { echo "$*"; }',
        'pick() {',
        '  log "looking for a ticket"',
        '  echo none',
        '}',
        'ticket=$(pick)',
        'say "<result>$ticket</result>"',
      ),
    },
  ],
  [
    'backticks that are quoted, escaped or commands',
    {
      'START.sh': lines(
        "cat >notes.md <<'EOF'",
        'The branch `main`.',
        'EOF',
        'echo "The branch \\`main\\` on `hostname` is at `git rev-parse HEAD`." >>notes.md',
        "echo 'Then run `npm test`.' >>notes.md",
        'list() { ls; }',
        'echo "It has `list` in it." >>notes.md',
        'echo "<result>done</result>"',
      ),
    },
  ],
  [
    'temporary files of two scripts with one name',
    {
      'START.sh': lines(
        'rows=/tmp/rows.$$',
        'sort -u data.csv >"$rows"',
        'cat "$rows" >&2',
        'echo "<goto>STORE</goto>"',
      ),
      'STORE.sh': lines(
        'rows=/tmp/rows.$$',
        'sort other.csv >"$rows"',
        'count=$(wc -l <"$rows")',
        'echo "<result>$((count))</result>"',
      ),
    },
  ],
  [
    'helpers of the package by their folder',
    {
      'START.sh': lines('. "$RAYMOND_STATE_DIR/units.sh"', 'echo "<goto>NEXT</goto>"'),
      'NEXT.sh': lines('cd "$RAYMOND_STATE_DIR"', '. ./units.sh', 'echo "<result>$(to_kwh 1)</result>"'),
      'units.sh': 'to_kwh() { echo "$1"; }\n',
    },
  ],
  [
    'counts of lines that are there, or that may be 0',
    {
      'START.sh': lines(
        'set -e',
        'rows=$(grep -c "" log)',
        'lost=$(grep -c "^lost" log) || lost=0',
        'if grep -q "^late" log; then late=$(grep -c "^late" log); else late=no; fi',
        'echo "<result>$late late, $lost lost of $rows</result>"',
      ),
    },
  ],
  [
    'files that are read before they are written again',
    {
      'START.sh': lines(
        'list=$RAYMOND_TASK_FOLDER/list',
        'sort "$list" >"$list.new" && mv "$list.new" "$list"',
        'echo "$(tail -n +2 "$list")" >"$list"',
        'sort "$list" | tee -a "$list" >/dev/null',
        'for name in a b; do git log | grep "$name" >"$name"; done',
        'jq -n "{}" --arg name "$list" >"$list"',
        'echo "<goto>NEXT</goto>"',
      ),
      'NEXT.py': lines(
        'import json',
        'stock = json.load(open("stock.json")); file = open("stock.json", "w")',
        'json.dump(stock, file)',
        'print("<result>kept</result>")',
      ),
    },
  ],
];
