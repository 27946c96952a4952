// Programs in Python, JavaScript and TypeScript that run well, as people write them.
import { lines, type Files } from './kit.js';

/** Two states in which a run ends. */
export const B: Files = { 'B.sh': 'echo "<result>x</result>"\n' };
export const C: Files = { 'C.sh': 'echo "<result>y</result>"\n' };

/** What is odd, and the package. */
export const RIGHT_PROGRAMS: readonly (readonly [what: string, files: Files])[] = [
  [
    'messages of failures that name a tag, and a file of the package that a variable called source opens',
    {
      'START.py': lines(
        'import os, pathlib, sys',
        'def given():',
        '    path = os.environ.get("RAYMOND_INPUT_FILE")',
        '    if not path:',
        '        sys.exit("START needs the list of an <await>")',
        '    if path == "-":',
        '        raise ValueError("no <await> before this state")',
        '    return path',
        'source = pathlib.Path(os.environ["RAYMOND_STATE_DIR"]) / "terms.csv"',
        'print(f"<result>{given()} {source.read_text()}</result>")',
      ),
      'terms.csv': 'one,eins\n',
    },
  ],
  [
    'a Python program that chooses by conditions which exclude each other',
    {
      'START.py':
        "import os\nn = len(os.listdir('.'))\nif n > 3:\n    print('<goto>B</goto>')\nif n <= 3:\n    print('<goto>C</goto>')\n",
      ...B,
      ...C,
    },
  ],
  [
    'a Python program whose failure is an exit code',
    {
      'START.py':
        "import json, sys\ndef main():\n    try:\n        plan = json.load(open('x'))\n    except OSError as error:\n        print(error, file=sys.stderr)\n        return 1\n    print('<goto>B</goto>' if plan else '<goto>C</goto>')\n    return 0\nif __name__ == '__main__':\n    sys.exit(main())\n",
      ...B,
      ...C,
    },
  ],
  [
    'a Python program that collects its forks',
    {
      'START.py':
        "import os\nlines = []\nfor name in os.listdir('.'):\n    lines.append(f'<fork file=\"{name}\" next=\"WAIT\">W</fork>')\nprint('\\n'.join(lines) if lines else '<result>none</result>')\n",
      'W.sh': 'echo "<result>$file</result>"\n',
      'WAIT.sh': 'echo \'<await next="B"/>\'\n',
      ...B,
    },
  ],
  [
    'a Python program that finds its tag in a loop, or prints another one',
    {
      'START.py':
        "import os\nfor name in os.listdir('.'):\n    if name.endswith('.md'):\n        print('<goto>B</goto>')\n        break\nelse:\n    print('<goto>C</goto>')\n",
      ...B,
      ...C,
    },
  ],
  [
    'a Python program that another program answers for',
    {
      'START.py':
        "import subprocess, sys\nif len(sys.argv) > 1:\n    print('<goto>B</goto>')\nelse:\n    subprocess.run(['./decide'])\n",
      ...B,
    },
  ],
  [
    'a JavaScript program of promises',
    {
      'START.js':
        "const { readFile } = require('node:fs/promises');\nreadFile('x', 'utf8')\n  .then((text) => console.log(text.length > 3 ? '<goto>B</goto>' : '<goto>C</goto>'))\n  .catch((error) => {\n    console.error(error);\n    process.exit(1);\n  });\n",
      ...B,
      ...C,
    },
  ],
  [
    'a JavaScript program that reads stdin',
    {
      'START.js':
        "let text = '';\nprocess.stdin.on('data', (chunk) => (text += chunk));\nprocess.stdin.on('end', () => {\n  if (text === '') return console.log('<goto>B</goto>');\n  console.log('<goto>C</goto>');\n});\n",
      ...B,
      ...C,
    },
  ],
  [
    'a JavaScript program with a failure as its exit code',
    {
      'START.js':
        "try {\n  const plan = JSON.parse(require('fs').readFileSync('x', 'utf8'));\n  console.log(`<goto input=\"${plan.length}\">B</goto>`);\n} catch (error) {\n  console.error(error);\n  process.exitCode = 1;\n}\n",
      'B.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'a TypeScript program that looks its target up',
    {
      'START.ts':
        "const targets: Record<string, string> = { a: 'B', b: 'C' };\nconst target = targets[process.argv[2] ?? 'a'] ?? 'B';\nprocess.stdout.write(`<goto>${target}</goto>`);\n",
      ...B,
      ...C,
    },
  ],
  [
    'a JavaScript program with a function for its tags',
    {
      'START.js':
        "const { env } = process;\nconst tag = (name, body, attributes = {}) => {\n  const list = Object.entries(attributes).map(([key, value]) => ` ${key}=\"${value}\"`);\n  return `<${name}${list.join('')}>${body}</${name}>`;\n};\nif (env.RAYMOND_INPUT === 'x') console.log(tag('goto', 'B', { input: 'x' }));\nelse console.log(tag('function', 'C', { return: 'B' }));\n",
      ...B,
      ...C,
    },
  ],
  [
    'functions of fs with a callback, and those of fs.promises',
    {
      'START.js': lines(
        'const fs = require("fs");',
        'const { promisify } = require("util");',
        'const load = promisify(fs.readFile);',
        'const show = (error, text) => console.log(`<result>${error ? "none" : text.length}</result>`);',
        'fs.mkdir("out", { recursive: true }, () => {});',
        'fs.promises.writeFile("out/a", "a").then(() => load("out/a"));',
        'fs.readFile("plan.txt", "utf8", show);',
      ),
    },
  ],
];
