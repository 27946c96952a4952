// Planted mistakes of scripts that show only if one follows their values: exit codes, subshells, callbacks, counters in files, keys.
import type { Fault, Files } from './kit.js';

/** The state behind a script. */
export const NEXT: Files = { 'NEXT.sh': 'echo "<result>next</result>"\n' };

/** The other state of a loop. */
export const WORK: Files = { 'WORK.md': 'Improve the text once more.\n\n<goto>START</goto>\n' };

/** What is wrong, the package, and what is found in it. */
export const HABIT_MISTAKES: readonly Fault[] = [
  [
    'diff with check=True',
    {
      'START.py':
        'import subprocess\ndone = subprocess.run(\n    ["diff", "a", "b"],\n    capture_output=True,\n    check=True,\n)\nif done.stdout:\n    print("<goto>NEXT</goto>")\nelse:\n    print("<result>same</result>")\n',
      ...NEXT,
    },
    ['unwanted-exit START.py:5:11'],
  ],
  [
    'grep by a function of Node.js',
    {
      'START.js':
        'const { execFileSync } = require("node:child_process");\nfunction run(program, ...args) {\n  return execFileSync(program, args, { encoding: "utf8" });\n}\nconst files = run("grep", "-rl", "TODO", "src").split("\\n").filter(Boolean);\nif (files.length === 0) console.log("<result>nothing</result>");\nelse console.log("<goto>NEXT</goto>");\n',
      ...NEXT,
    },
    ['unwanted-exit START.js:5:15'],
  ],
  [
    'a difference in a file',
    {
      'START.sh':
        'set -euo pipefail\ndiff old new >changes.txt\nif [ "$(wc -l <changes.txt)" -gt 0 ]; then echo "<goto>NEXT</goto>"; else echo "<result>same</result>"; fi\n',
      ...NEXT,
    },
    ['unwanted-exit START.sh:2:1'],
  ],
  [
    'let with a remainder',
    {
      'START.sh':
        'set -e\nn=$(wc -l <list.txt)\nlet "rest = n % 6"\nif [ "$rest" -eq 0 ]; then echo "<result>full</result>"; else echo "<goto>NEXT</goto>"; fi\n',
      ...NEXT,
    },
    ['unwanted-exit START.sh:3:1'],
  ],
  [
    'an arithmetic command with a difference, in a function',
    {
      'START.sh':
        'set -euo pipefail\nfine=0\ncount() {\n  ((fine = all - bad))\n}\nall=$(wc -l <all.txt)\nbad=$(wc -l <bad.txt)\ncount\necho "<result>$fine</result>"\n',
    },
    ['unwanted-exit START.sh:4:3'],
  ],
  [
    'an element of a table that is counted',
    {
      'START.sh':
        'set -e\ndeclare -A seen\nfor name in a b a; do\n  ((seen[$name]++))\ndone\necho "<result>${#seen[@]}</result>"\n',
    },
    ['unwanted-exit START.sh:4:3'],
  ],
  [
    'a counter that main returns',
    {
      'START.py':
        'import sys\nfrom pathlib import Path\n\n\ndef main():\n    skipped = 0\n    for path in Path("in").iterdir():\n        if path.suffix == "":\n            skipped += 1\n    if skipped:\n        print("<goto>NEXT</goto>")\n    else:\n        print("<result>x</result>")\n    return skipped\n\n\nif __name__ == "__main__":\n    raise SystemExit(main())\n',
      ...NEXT,
    },
    ['script-fails-after-tag START.py:14:12'],
  ],
  [
    'a number of failures as the exit code of Node.js',
    {
      'START.js':
        'const fs = require("node:fs");\nfunction main() {\n  let failed = 0;\n  for (const name of fs.readdirSync("in")) if (name === "") failed++;\n  console.log(failed > 0 ? "<goto>NEXT</goto>" : "<result>x</result>");\n  return failed;\n}\nprocess.exit(main());\n',
      ...NEXT,
    },
    ['script-fails-after-tag START.js:6:10'],
  ],
  [
    'process.exitCode before the tags',
    {
      'START.js':
        'const fs = require("node:fs");\nconst problems = fs.readdirSync("in");\nprocess.exitCode = problems.length > 0 ? 1 : 0;\nif (problems.length === 0) console.log("<result>x</result>");\nelse console.log("<goto>NEXT</goto>");\n',
      ...NEXT,
    },
    ['script-fails-after-tag START.js:3:20'],
  ],
  [
    'process.exitCode in a function that a loop calls',
    {
      'START.ts':
        'import { readdirSync } from "node:fs";\nlet bad = 0;\nfunction complain(text: string): void {\n  console.error(text);\n  process.exitCode = 1;\n}\nfor (const name of readdirSync("in"))\n  if (name.length > 9) {\n    bad += 1;\n    complain(name);\n  }\nif (bad > 0) console.log("<goto>NEXT</goto>");\nelse console.log("<result>x</result>");\n',
      ...NEXT,
    },
    ['script-fails-after-tag START.ts:5:22'],
  ],
  [
    'an exit code that a variable of bash keeps',
    {
      'START.sh':
        'rc=0\nmake check >log.txt 2>&1 || rc=1\nif [ $rc -ne 0 ]; then echo "<goto>NEXT</goto>"; else echo "<result>x</result>"; fi\nexit $rc\n',
      ...NEXT,
    },
    ['script-fails-after-tag START.sh:4:1'],
  ],
  [
    'a return in a forEach callback',
    {
      'START.js':
        'const fs = require("node:fs");\nfs.readdirSync("in").forEach((name) => {\n  if (name.endsWith(".tmp")) {\n    console.log("<goto>NEXT</goto>");\n    return;\n  }\n});\nconsole.log("<result>clean</result>");\n',
      ...NEXT,
    },
    ['script-several-tags START.js:4:18'],
  ],
  [
    'a return in the callback of a line',
    {
      'START.js':
        'const fs = require("node:fs");\nconst lines = require("node:readline").createInterface({ input: fs.createReadStream("a.log") });\nlines.on("line", function (line) {\n  if (!line.includes("ERROR")) return;\n  console.log("<goto at=\\"" + line.length + "\\">" + "NEXT</goto>");\n  return;\n});\nlines.on("close", () => console.log("<result>clean</result>"));\n',
      ...NEXT,
    },
    ['script-several-tags START.js:5:16'],
  ],
  [
    'a counter in a function whose output is used',
    {
      'START.sh':
        'large=0\nclassify() {\n  if [ -s "$1" ]; then\n    large=$((large + 1))\n    echo large\n  else\n    echo small\n  fi\n}\nfor file in in/*; do\n  label=$(classify "$file")\n  echo "$label" >>labels.txt\ndone\nif ((large > 0)); then echo "<goto>NEXT</goto>"; else echo "<result>x</result>"; fi\n',
      ...NEXT,
    },
    ['lost-assignment START.sh:11:9'],
  ],
  [
    'a sum in parentheses',
    {
      'START.sh':
        'total=0\n(\n  cd in || exit\n  for file in *; do total=$((total + $(wc -l <"$file"))); done\n)\necho "<result>$total</result>"\n',
    },
    ['lost-assignment START.sh:4:21'],
  ],
  [
    'a list that a function in the background extends',
    {
      'START.sh':
        'failed=()\nprobe() {\n  ping -c 1 "$1" >/dev/null || failed+=("$1")\n}\nfor host in a b; do probe "$host" & done\nwait\nif ((${#failed[@]})); then echo "<goto>NEXT</goto>"; else echo "<result>x</result>"; fi\n',
      ...NEXT,
    },
    ['lost-assignment START.sh:5:21'],
  ],
  [
    'two attributes that are compared as texts',
    {
      'START.sh': 'echo "<goto page=\\"1\\" pages=\\"12\\">PAGE</goto>"\n',
      'PAGE.js':
        'const { page, pages } = process.env;\nif (page >= pages) console.log("<result>x</result>");\nelse console.log(`<goto page="${Number(page) + 1}" pages="${pages}">PAGE</goto>`);\n',
    },
    ['text-for-number PAGE.js:2:4'],
  ],
  [
    'the greater of two texts',
    {
      'START.sh': 'echo "<goto first=\\"3\\" second=\\"12\\">MAX</goto>"\n',
      'MAX.py': "import os\n\nenv = os.environ\nprint(f\"<result>{max(env['first'], env['second'])}</result>\")\n",
    },
    ['text-for-number MAX.py:4:18'],
  ],
  [
    'two attributes in double brackets',
    {
      'START.sh': 'echo "<goto have=\\"3\\" need=\\"12\\">CHECK</goto>"\n',
      'CHECK.sh': 'if [[ $have < $need ]]; then echo "<goto>NEXT</goto>"; else echo "<result>x</result>"; fi\n',
      ...NEXT,
    },
    ['text-for-number CHECK.sh:1:7'],
  ],
  [
    'a counter in a JSON file that is written back as it was',
    {
      'START.js':
        'const fs = require("node:fs");\nconst file = `${process.env.RAYMOND_TASK_FOLDER}/progress.json`;\nfunction load() {\n  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : { tries: 0 };\n}\nconst { tries } = load();\nif (tries >= 5) {\n  console.log("<result>x</result>");\n} else {\n  fs.writeFileSync(file, JSON.stringify({ tries }));\n  console.log("<goto>WORK</goto>");\n}\n',
      ...WORK,
    },
    ['counter-not-saved START.js:10:6'],
  ],
  [
    'a counter of bash that is written back as it was',
    {
      'START.sh':
        'set -e\nfile=$RAYMOND_TASK_FOLDER/tries\ntries=$(cat "$file" 2>/dev/null || echo 0)\nif [ "$tries" -ge 4 ]; then\n  echo "<result>x</result>"\n  exit 0\nfi\necho "$tries" >"$file"\necho "<goto>WORK</goto>"\n',
      ...WORK,
    },
    ['counter-not-saved START.sh:8:1'],
  ],
  [
    'a counter that is raised after it was written',
    {
      'START.py':
        'import json\nfrom pathlib import Path\n\nstore = Path("state.json")\ndata = json.loads(store.read_text()) if store.exists() else {"round": 0}\nif data["round"] > 3:\n    print("<result>x</result>")\nelse:\n    store.write_text(json.dumps(data))\n    print("<goto>WORK</goto>")\n',
      ...WORK,
    },
    ['counter-not-saved START.py:9:11'],
  ],
  [
    'a recorder in a sandbox, with a file for its id',
    {
      'START.py':
        '# raymond: sandbox=process\nimport subprocess\n\nwith open("log.txt", "ab") as log:\n    recorder = subprocess.Popen(["vmstat", "1"], stdout=log)\nopen("pid", "w").write(str(recorder.pid))\nprint("<goto>NEXT</goto>")\n',
      ...NEXT,
    },
    ['background-in-sandbox START.py:5:16', 'sandbox-missing START.py:1:1'],
  ],
  [
    'a server in a sandbox that its script tests, too',
    {
      'START.sh':
        '# raymond: sandbox=process\nset -e\nnpm run dev -- --port 3000 >dev.log 2>&1 &\ncurl -fsS http://127.0.0.1:3000/ >/dev/null\necho "<goto>LOOK</goto>"\n',
      'LOOK.md': 'Look at http://127.0.0.1:3000/. Reply with <result>what you see</result>\n',
    },
    ['background-in-sandbox START.sh:3:1', 'sandbox-missing START.sh:1:1'],
  ],
  [
    'the id of the attempt in a key that a function makes',
    {
      'START.js':
        '// raymond: retries=2\n// The shop carries out each order with the same X-Request-Id only once.\nfunction requestId() {\n  return `${process.env.RAYMOND_WORKFLOW_ID}-${process.env.RAYMOND_ATTEMPT}`;\n}\nasync function main() {\n  await fetch("https://shop.example.com/orders", { method: "POST", headers: { "X-Request-Id": requestId() } });\n  console.log("<result>ordered</result>");\n}\nmain();\n',
    },
    ['attempt-as-key START.js:7:95'],
  ],
  [
    'the id of the attempt in the name of a marker',
    {
      'START.sh':
        '# raymond: retries=2\nset -e\nstamp=$RAYMOND_TASK_FOLDER/charged.$RAYMOND_ATTEMPT\nif [ ! -e "$stamp" ]; then\n  ./charge.sh\n  touch "$stamp"\nfi\necho "<result>charged</result>"\n',
    },
    ['attempt-as-key START.sh:3:1'],
  ],
];
