// Packages that are near to the mistakes in mistakes-habits.ts, but run well.
import type { Files } from './kit.js';
import { NEXT, WORK } from './mistakes-habits.js';

/** What is odd, and the package. */
export const RIGHT_HABITS: readonly (readonly [what: string, files: Files])[] = [
  [
    'diff without check, and grep in a try',
    {
      'START.py':
        'import subprocess\ndone = subprocess.run(["diff", "a", "b"], capture_output=True)\ntry:\n    found = subprocess.check_output(["grep", "-c", "x", "a"], text=True)\nexcept subprocess.CalledProcessError:\n    found = ""\nif done.stdout and not found:\n    print("<goto>NEXT</goto>")\nelse:\n    print("<result>same</result>")\n',
      ...NEXT,
    },
  ],
  [
    'diff that must find no difference, and git that must succeed',
    {
      'START.py':
        'import subprocess\nsubprocess.run(["diff", "-q", "a", "b"], check=True, stdout=subprocess.DEVNULL)\nfiles = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout.split()\nif not files:\n    print("<result>no files</result>")\nelse:\n    print("<goto>NEXT</goto>")\n',
      ...NEXT,
    },
  ],
  [
    'a difference with || true',
    {
      'START.sh':
        'set -euo pipefail\ndiff old new >changes.txt || true\nchanged=$(diff -q a b || true)\nif [ -s changes.txt ] || [ -n "$changed" ]; then echo "<goto>NEXT</goto>"; else echo "<result>same</result>"; fi\n',
      ...NEXT,
    },
  ],
  [
    'arithmetic that is not 0, or whose exit code is asked for',
    {
      'START.sh':
        'set -e\nn=0\n((n += 1))\nleft=3\nwhile ((left > 0)); do\n  ((left--))\ndone\nlet "rest = n % 6" || true\nm=$((n - 1))\n((index = n * 2 + 1))\necho "<result>$rest $m $index</result>"\n',
    },
  ],
  [
    'an exit code other than 0 only without a tag',
    {
      'START.py':
        'import sys\nfrom pathlib import Path\n\n\ndef main():\n    missing = [name for name in ("a", "b") if not Path(name).exists()]\n    if missing:\n        print(missing, file=sys.stderr)\n    else:\n        print("<goto>NEXT</goto>")\n    return len(missing)\n\n\nsys.exit(main())\n',
      ...NEXT,
    },
  ],
  [
    'process.exitCode where something failed, and a tag on the other paths',
    {
      'START.js':
        'const fs = require("node:fs");\nasync function main() {\n  const text = await fs.promises.readFile("a.txt", "utf8");\n  console.log(text === "" ? "<goto>NEXT</goto>" : "<result>x</result>");\n}\nmain().catch((error) => {\n  console.error(error);\n  process.exitCode = 1;\n});\n',
      ...NEXT,
    },
  ],
  [
    'a forEach callback that remembers, and one that ends the program',
    {
      'START.js':
        'const fs = require("node:fs");\nlet found;\nfs.readdirSync("in").forEach((name) => {\n  if (name.endsWith(".tmp")) found = name;\n  if (name === "stop") {\n    console.log("<result>stopped</result>");\n    process.exit(0);\n  }\n});\nif (found) console.log("<goto>NEXT</goto>");\nelse console.log("<result>clean</result>");\n',
      ...NEXT,
    },
  ],
  [
    'forks in a forEach callback',
    {
      'START.js':
        '["a", "b"].forEach((name) => {\n  console.log(`<fork input="${name}">WORK</fork>`);\n});\nconsole.log("<goto>WAIT</goto>");\n',
      'WORK.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'WAIT.sh': 'echo "<await next=\\"NEXT\\"/>"\n',
      ...NEXT,
    },
  ],
  [
    'a loop without an end in the background',
    {
      'START.sh':
        '(\n  while true; do\n    date >>times.txt\n    sleep 1\n  done\n) &\nwatcher=$!\nmake >log.txt 2>&1\nkill "$watcher"\necho "<result>x</result>"\n',
    },
  ],
  [
    'variables of a subshell that are not used behind it',
    {
      'START.sh':
        'count=0\nname=first\nadd() {\n  local count=$1\n  count=$((count + 1))\n  echo "$count"\n}\nnext=$(add 4)\n(name=second; echo "$name" >name.txt)\nfor file in in/*; do count=$((count + 1)); done\necho "<result>$next $name $count</result>"\n',
    },
  ],
  [
    'a function that the script also calls itself',
    {
      'START.sh':
        'errors=0\ncheck() {\n  [ -s "$1" ] || errors=$((errors + 1))\n}\ncheck a\ncheck b\nlog=$(check c)\necho "<result>$errors $log</result>"\n',
    },
  ],
  [
    'texts that are compared as texts, and numbers',
    {
      'START.sh': 'echo "<goto from=\\"anna\\" to=\\"zoe\\" first=\\"3\\" second=\\"12\\">CHECK</goto>"\n',
      'CHECK.py':
        'import os\n\nfirst, second = int(os.environ["first"]), int(os.environ["second"])\nif first > second or os.environ["from"] > os.environ["to"]:\n    print("<goto>NEXT</goto>")\nelse:\n    print("<result>x</result>")\n',
      ...NEXT,
    },
  ],
  [
    'counters that are raised where they are read or written',
    {
      'START.py':
        'import json\nfrom pathlib import Path\n\nstore = Path("state.json")\nrounds = int(Path("rounds").read_text()) + 1\nPath("rounds").write_text(str(rounds))\ndata = json.loads(store.read_text()) if store.exists() else {"tries": 0}\nif data["tries"] > 3 or rounds > 9:\n    print("<result>x</result>")\nelse:\n    data["tries"] += 1\n    store.write_text(json.dumps(data))\n    print("<goto>WORK</goto>")\n',
      ...WORK,
    },
  ],
  [
    'a server in a sandbox that only its script needs',
    {
      'START.sh':
        '# raymond: sandbox=container\nset -e\nnpm run dev -- --port 3000 >dev.log 2>&1 &\nserver=$!\ncurl -fsS http://127.0.0.1:3000/ >page.html\nkill "$server"\necho "<goto>NEXT</goto>"\n',
      ...NEXT,
    },
  ],
  [
    'code of another program that reads its arguments',
    {
      'START.py':
        'import subprocess\nimport sys\n\nCODE = """\nimport sys\nprint(sys.argv[1])\n"""\nout = subprocess.run([sys.executable, "-c", CODE, "x"], capture_output=True, text=True)\nprint(f"<result>{out.stdout.strip()}</result>")\n',
    },
  ],
  [
    'the id of the attempt in a log and in a request id of which nothing is said',
    {
      'START.sh':
        '# raymond: retries=2\nset -e\nlog=$RAYMOND_TASK_FOLDER/$RAYMOND_ATTEMPT.log\ncurl -fsS -H "X-Request-Id: $RAYMOND_ATTEMPT" -H "Idempotency-Key: $RAYMOND_TURN_ID" https://example.com >"$log"\necho "<result>x</result>"\n',
    },
  ],
];
