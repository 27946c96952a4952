// Planted mistakes of Python and JavaScript programs, and of branches of bash scripts: paths without a tag, with two, or with a failure.
import { END, type Fault } from './kit.js';

const pathless = (what: string, [file, position]: readonly [string, string], lines: readonly string[]): Fault => [
  what,
  { [file]: `${lines.join('\n')}\n`, ...END },
  [`script-path-without-tag ${file}:${position}`],
];

/** What is wrong, the package, and what is found in it. */
export const PROGRAM_MISTAKES: readonly Fault[] = [
  pathless(
    'elif without else in Python',
    ['START.py', '5:1'],
    [
      'import sys',
      'n = len(sys.argv)',
      'if n > 3:',
      "    print('<goto>END</goto>')",
      'elif n > 1:',
      "    print('<result>x</result>')",
    ],
  ),
  pathless(
    'a function of Python that returns early',
    ['START.py', '4:9'],
    [
      'import os',
      'def main():',
      "    if not os.path.exists('x'):",
      '        return',
      "    print('<goto>END</goto>')",
      'main()',
    ],
  ),
  pathless(
    'an exception of Python that is only logged',
    ['START.py', '5:1'],
    [
      'import json, sys',
      'try:',
      "    plan = json.load(open('x'))",
      '    print(f\'<goto n="{len(plan)}">END</goto>\')',
      'except OSError as error:',
      '    print(error, file=sys.stderr)',
    ],
  ),
  pathless(
    'sys.exit(0) of Python before the tag',
    ['START.py', '5:5'],
    [
      'import sys',
      'lines = sys.stdin.readlines()',
      'if not lines:',
      "    print('no lines', file=sys.stderr)",
      '    sys.exit(0)',
      "print('<goto>END</goto>')",
    ],
  ),
  pathless(
    'a match of Python without a default',
    ['START.py', '2:1'],
    [
      'import os',
      "match os.environ.get('RAYMOND_INPUT', ''):",
      "    case 'a':",
      "        print('<goto>END</goto>')",
      "    case 'b':",
      "        print('<result>b</result>')",
    ],
  ),
  pathless(
    'a loop of Python that may find nothing',
    ['START.py', '2:1'],
    [
      'import os',
      "for name in os.listdir('.'):",
      "    if name.endswith('.md'):",
      '        print(f\'<goto name="{name}">END</goto>\')',
      '        break',
    ],
  ),
  pathless(
    'a switch of JavaScript without a default, behind a check',
    ['START.js', '6:1'],
    [
      "const mode = require('fs').readFileSync('mode', 'utf8');",
      'if (process.argv.length > 9) {',
      "  console.log('<result>too many</result>');",
      '  process.exit(0);',
      '}',
      'switch (mode) {',
      "  case 'a':",
      "    console.log('<goto>END</goto>');",
      '    break;',
      "  case 'b':",
      "    console.log('<result>b</result>');",
      '}',
    ],
  ),
  pathless(
    'a main of TypeScript whose failure is only logged',
    ['START.ts', '6:14'],
    [
      "import { readFile } from 'node:fs/promises';",
      'async function main(): Promise<void> {',
      "  const text = await readFile('x', 'utf8');",
      '  console.log(text.length > 3 ? `<goto>END</goto>` : `<result>short</result>`);',
      '}',
      'main().catch((error: unknown) => {',
      '  console.error(error);',
      '});',
    ],
  ),
  pathless(
    'else if of JavaScript without else',
    ['START.js', '4:1'],
    [
      'const n = process.argv.length;',
      'const go = (state) => console.log(`<goto>${state}</goto>`);',
      "if (n > 3) go('END');",
      "else if (n > 2) console.log('<result>x</result>');",
    ],
  ),
  pathless(
    'a branch of JavaScript that prints none',
    ['START.js', '4:3'],
    [
      "const { existsSync } = require('node:fs');",
      "if (existsSync('x')) {",
      "  console.log('<goto>END</goto>');",
      '} else {',
      "  console.error('nothing');",
      '}',
    ],
  ),
  pathless(
    'an else of bash that only logs',
    ['START.sh', '5:3'],
    ['set -e', 'if [ -f x ]; then', "  echo '<goto>END</goto>'", 'else', "  echo 'nothing to do'", 'fi'],
  ),
  pathless(
    'exit 0 of bash before the tag',
    ['START.sh', '2:13'],
    ['set -e', '[ -f x ] || exit 0', "echo '<goto>END</goto>'"],
  ),
  pathless(
    'a case of bash without a default, behind a check',
    ['START.sh', '6:1'],
    [
      'set -e',
      'if [ ! -f plan ]; then',
      "  echo '<result>no plan</result>'",
      '  exit 0',
      'fi',
      'case "$(cat mode)" in',
      "  a) echo '<goto>END</goto>' ;;",
      "  b) echo '<result>b</result>' ;;",
      'esac',
    ],
  ),
  pathless(
    'a default of a case that only logs',
    ['START.sh', '4:3'],
    ['set -e', 'case "$(cat mode)" in', "  a) echo '<goto>END</goto>' ;;", "  *) echo 'unknown mode' ;;", 'esac'],
  ),
  [
    'two tags of Python on one path',
    {
      'START.py':
        "import os\nif not os.path.exists('x'):\n    print('<result>no x</result>')\nprint('<goto>END</goto>')\n",
      ...END,
    },
    ['script-several-tags START.py:3:12'],
  ],
  [
    'two calls of a function of Python that prints the tag',
    {
      'START.py':
        "import os\ndef go(state):\n    print(f'<goto>{state}</goto>')\nif os.path.exists('x'):\n    go('NEXT')\ngo('END')\n",
      'NEXT.sh': "echo '<result>x</result>'\n",
      ...END,
    },
    ['script-several-tags START.py:5:9'],
  ],
  [
    'two tags of JavaScript on one path',
    {
      'START.js': "if (process.argv.length > 2) console.log('<result>x</result>');\nconsole.log('<goto>END</goto>');\n",
      ...END,
    },
    ['script-several-tags START.js:1:43'],
  ],
  [
    'a tag of Python before a failure',
    { 'START.py': "import sys\nprint('<goto>END</goto>')\nsys.exit(1)\n", ...END },
    ['script-fails-after-tag START.py:3:1'],
  ],
  [
    'an exit code of JavaScript after the tag',
    { 'START.js': "console.log('<goto>END</goto>');\nprocess.exitCode = 1;\n", ...END },
    ['script-fails-after-tag START.js:2:1'],
  ],
  [
    'a target that a variable of Python holds',
    {
      'START.py': "import os\ntarget = 'GONE' if os.path.exists('x') else 'END'\nprint(f'<goto>{target}</goto>')\n",
      ...END,
    },
    ['missing-target START.py:2:11'],
  ],
  [
    'a misspelt tag on one branch of bash',
    {
      'START.sh': "set -e\nif [ -f x ]; then\n  echo '<goto>END</goto>'\nelse\n  echo '<resutl>x</resutl>'\nfi\n",
      ...END,
    },
    ['script-path-without-tag START.sh:5:9'],
  ],
  [
    'a tag in capitals on one branch of Python',
    {
      'START.py':
        "import sys\nif len(sys.argv) > 1:\n    print('<goto>END</goto>')\nelse:\n    print('<Result>x</Result>')\n",
      ...END,
    },
    ['script-path-without-tag START.py:5:12'],
  ],
  [
    'a tag of JavaScript that is not closed, on one branch',
    {
      'START.js':
        "if (process.argv.length > 2) console.log('<goto>END</goto>');\nelse console.log('<result>x<result>');\n",
      ...END,
    },
    ['script-path-without-tag START.js:2:19'],
  ],
  [
    'an attribute of a tag in a later state of bash',
    {
      'START.sh': 'echo \'<goto topic="x">N</goto>\'\n',
      'N.sh': 'echo "$topic" >&2\necho "<goto>L</goto>"\n',
      'L.sh': 'echo "<result>$topic</result>"\n',
    },
    ['unbound-variable L.sh:1:15'],
  ],
  [
    'an attribute of a tag in a later state of Python and JavaScript',
    {
      'START.sh': 'echo \'<goto topic="x">N</goto>\'\n',
      'N.py': "print('<goto>M</goto>')\n",
      'M.js': 'console.log(`<result>${process.env.topic}</result>`);\n',
    },
    ['unbound-variable M.js:1:36'],
  ],
  [
    'an attribute of a tag in a later prompt, which the prompt before only reads',
    {
      'START.sh': 'echo \'<goto topic="x">N</goto>\'\n',
      'N.md': '---\nallowed_transitions:\n  - { tag: reset, target: L }\n---\nThink of {{topic}}. <reset>L</reset>\n',
      'L.md': 'Write of {{topic}}. <result>done</result>\n',
    },
    ['unbound-variable L.md:1:10'],
  ],
  [
    'functions of fs that get no callback',
    {
      'START.js': [
        'const fs = require("node:fs");',
        'const plan = JSON.parse(fs.readFile("plan.json", "utf8"));',
        'fs.writeFile("copy.json", plan);',
        'console.log(`<result>${plan.name}</result>`);',
        '',
      ].join('\n'),
    },
    ['missing-await START.js:2:25', 'missing-await START.js:3:1'],
  ],
];
