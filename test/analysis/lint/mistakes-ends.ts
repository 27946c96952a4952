// Planted mistakes about how scripts end: where their output goes, with which exit code, and what the values in their tags are.
import { END, lines, type Fault, type Files } from './kit.js';

/** A judge whose result has a boolean. */
export const JUDGE: Files = {
  'START.sh': 'echo "<function return=\\"ROUTE\\">JUDGE</function>"\n',
  'JUDGE.md':
    '---\nresult:\n  schema:\n    type: object\n    required: [ok]\n    properties: { ok: { type: boolean } }\n---\nJudge it.\n',
};

const SHOW: Files = { 'SHOW.sh': 'echo "<result>$title</result>"\n' };

/** What is wrong, the package, and what is found in it. */
export const END_MISTAKES: readonly Fault[] = [
  [
    'stdout in a log file',
    {
      'START.sh':
        'set -e\nexec >>"$RAYMOND_TASK_FOLDER/run.log" 2>&1\necho checking\nfinish() { echo "<result>$1</result>"; }\nfinish "done"\n',
    },
    ['stdout-redirected START.sh:2:1'],
  ],
  [
    'stdout of Python in a log file',
    { 'START.py': 'import sys\nsys.stdout = open("log.txt", "a")\nprint("checking")\nprint("<result>x</result>")\n' },
    ['stdout-redirected START.py:2:1'],
  ],
  [
    'random characters that head cuts off, in a function',
    {
      'START.sh':
        'set -euo pipefail\nword() { tr -dc a-z </dev/urandom | fold -w 12 | head -n 1; }\nw=$(word)\necho "<result>$w</result>"\n',
    },
    ['unwanted-exit START.sh:3:1'],
  ],
  [
    'yes that head cuts off',
    { 'START.sh': 'set -euo pipefail\nyes 0 | head -n 9 >zeros.txt\necho "<result>x</result>"\n' },
    ['unwanted-exit START.sh:2:1'],
  ],
  [
    'a boolean of a result that is compared with the text of Python',
    {
      ...JUDGE,
      'ROUTE.py':
        'import os\nif os.environ["RAYMOND_RESULT_ok"] == "True":\n    print("<result>a</result>")\nelse:\n    print("<result>b</result>")\n',
    },
    ['text-as-condition ROUTE.py:2:4'],
  ],
  [
    'a boolean of a result that is compared with yes',
    {
      ...JUDGE,
      'ROUTE.sh':
        'if [ "$RAYMOND_RESULT_ok" = yes ]; then echo "<result>a</result>"; else echo "<result>b</result>"; fi\n',
    },
    ['text-as-condition ROUTE.sh:1:7'],
  ],
  [
    'a boolean of parsed JSON that is compared with a text',
    {
      ...JUDGE,
      'ROUTE.js':
        'const result = JSON.parse(process.env.RAYMOND_RESULT);\nif (result.ok === "true") console.log("<result>a</result>");\nelse console.log("<result>b</result>");\n',
    },
    ['text-as-condition ROUTE.js:2:5'],
  ],
  [
    'an imported async function without await',
    {
      'START.ts':
        'import { shorten } from "./text.ts";\nconst title: string = shorten("a", 3);\nconsole.log(`<goto title="${title}">SHOW</goto>`);\n',
      'text.ts': 'export async function shorten(a: string, n: number) {\n  return a.slice(n);\n}\n',
      'package.json': '{ "type": "module" }\n',
      ...SHOW,
    },
    ['missing-await START.ts:2:23'],
  ],
  [
    'a file that is read without await',
    {
      'START.js':
        'import { readFile } from "node:fs/promises";\nconst text = readFile("a.txt", "utf8");\nconsole.log(`<result>${text}</result>`);\n',
      'package.json': '{ "type": "module" }\n',
    },
    ['missing-await START.js:2:14'],
  ],
  [
    'a value that is escaped as HTML',
    {
      'START.py':
        'import html\ntitle = html.escape(open("a.txt").read())\nprint(f\'<goto title="{title}">SHOW</goto>\')\n',
      ...SHOW,
    },
    ['escaped-attribute START.py:2:1'],
  ],
  [
    'a function that makes entities',
    {
      'START.js':
        'const fs = require("node:fs");\nconst quoted = (s) => s.replace(/&/g, "&amp;").replace(/"/g, "&quot;");\nconst title = fs.readFileSync("a.txt", "utf8");\nconsole.log(`<goto title="${quoted(title)}">SHOW</goto>`);\n',
      ...SHOW,
    },
    ['escaped-attribute START.js:4:27'],
  ],
  [
    'an exit code for the case of one tag',
    {
      'START.py':
        'import os, sys\nbad = [f for f in os.listdir(".") if f.endswith(".bad")]\nif not bad:\n    print("<result>fine</result>")\nelse:\n    print("<goto>END</goto>")\nsys.exit(1 if bad else 0)\n',
      ...END,
    },
    ['script-fails-after-tag START.py:7:1'],
  ],
  [
    'an exit code of Node.js for the case of one tag',
    {
      'START.js':
        'const bad = require("node:fs").readdirSync(".").filter((f) => f.endsWith(".bad"));\nif (bad.length === 0) {\n  console.log("<result>fine</result>");\n} else {\n  console.log("<goto>END</goto>");\n}\nprocess.exitCode = bad.length > 0 ? 1 : 0;\n',
      ...END,
    },
    ['script-fails-after-tag START.js:7:1'],
  ],
  [
    'a number that a function reads as a text',
    {
      'START.sh': 'echo "<goto round=\\"1\\">NEXT</goto>"\n',
      'NEXT.ts':
        'function need(name: string): string {\n  const value = process.env[name];\n  if (value === undefined) throw new Error(name);\n  return value;\n}\nconst round: string = need("round");\nconsole.log(`<result>${round + 1}</result>`);\n',
    },
    ['text-as-number NEXT.ts:6:1'],
  ],
  [
    'a number in a variable with a union type',
    {
      'START.sh': 'echo "<goto round=\\"1\\">NEXT</goto>"\n',
      'NEXT.ts':
        'const round: string | undefined = process.env.round;\nconst next = round + 1;\nconsole.log(`<result>${next}</result>`);\n',
    },
    ['text-as-number NEXT.ts:1:1'],
  ],
  [
    'a pause that is longer than the timeout',
    { 'START.sh': '# raymond: timeout=60s\nsleep 150\necho "<result>x</result>"\n' },
    ['pause-beyond-timeout START.sh:2:1'],
  ],
  [
    'a silent loop that is longer than the timeout',
    {
      'START.py':
        '# raymond: timeout=1m\nimport os, time\nTRIES = 30\nfor n in range(TRIES):\n    if os.path.exists("done"):\n        break\n    time.sleep(10)\nprint("<result>x</result>")\n',
    },
    ['pause-beyond-timeout START.py:7:5'],
  ],
  [
    'a question on several lines, and the tag of the other case behind it',
    {
      'START.js': lines(
        'const fs = require("fs");',
        'const late = fs.readdirSync(".").filter((name) => name.endsWith(".late"));',
        'if (late.length > 0) {',
        '  console.log(\'<ask next="END" choices="yes,no">\');',
        '  console.log("Shall these wait?");',
        '  console.log(late.join(" "));',
        '  console.log("</ask>");',
        '}',
        'console.log("<goto>END</goto>");',
      ),
      ...END,
    },
    ['script-several-tags START.js:4:16'],
  ],
];
