// Packages that are near to the mistakes in mistakes-ends.ts, but run well.
import { END, type Files } from './kit.js';
import { JUDGE } from './mistakes-ends.js';

const SHOW: Files = { 'SHOW.sh': 'echo "<result>$title</result>"\n' };

/** What is odd, and the package. */
export const RIGHT_ENDS: readonly (readonly [what: string, files: Files])[] = [
  [
    'stdout in a log file, and the tag in a copy of stdout',
    { 'START.sh': 'exec 3>&1 >log.txt\necho checking\necho "<result>x</result>" >&3\n' },
  ],
  ['stdout through tee', { 'START.sh': 'exec > >(tee log.txt)\necho "<result>x</result>"\n' }],
  [
    'random characters of a limited amount',
    {
      'START.sh':
        'set -euo pipefail\na=$(head -c 300 /dev/urandom | tr -dc a-z | cut -c 1-9)\nb=$(tr -dc a-z </dev/urandom | head -c 9 || true)\necho "<result>$a$b</result>"\n',
    },
  ],
  [
    'a boolean of a result that is compared with several texts',
    {
      ...JUDGE,
      'ROUTE.py':
        'import os\nok = os.environ["RAYMOND_RESULT_ok"].lower()\nif ok == "true" or ok == "yes":\n    print("<result>a</result>")\nelse:\n    print("<result>b</result>")\n',
    },
  ],
  [
    'an imported async function with await, and one that is not async',
    {
      'START.ts':
        'import { shorten, plain } from "./text.ts";\nconst title = await shorten("a", 3);\nconst other = plain("b");\nconsole.log(`<goto title="${title}${other}">SHOW</goto>`);\n',
      'text.ts':
        'export async function shorten(a: string, n: number) {\n  return a.slice(n);\n}\nexport function plain(a: string) {\n  return a;\n}\n',
      'package.json': '{ "type": "module" }\n',
      ...SHOW,
    },
  ],
  [
    'a value that is escaped as HTML, and unescaped again',
    {
      'START.py':
        'import html\ntitle = html.escape(open("a.txt").read())\nprint(f\'<goto title="{title}">READ</goto>\')\n',
      'READ.py': 'import html, os\nprint(f"<result>{html.unescape(os.environ[\'title\'])}</result>")\n',
    },
  ],
  [
    'an exit code of something other than the case of a tag',
    {
      'START.py':
        'import os, sys\nbad = [f for f in os.listdir(".") if f.endswith(".bad")]\nif bad:\n    print("<goto>END</goto>")\nelse:\n    print("<result>fine</result>")\nsaved = os.system("sync")\nif saved != 0:\n    sys.exit(1)\n',
      ...END,
    },
  ],
  [
    'a pause in a loop that prints',
    {
      'START.sh':
        '# raymond: timeout=1m\nfor i in {1..20}; do\n  [ -f done ] && break\n  echo "waiting" >&2\n  sleep 10\ndone\necho "<result>x</result>"\n',
    },
  ],
  [
    'an attribute in a variable, and attributes of a function',
    {
      'START.sh':
        'first=\' next="WAIT"\'\nfor f in *.txt; do\n  name=${f%.txt}\n  echo "<fork part=\\"$name\\"$first>PART</fork>"\n  first=\ndone\nif [ -n "$first" ]; then\n  echo "<result>none</result>"\nfi\n',
      'PART.sh': 'echo "<result>$part</result>"\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
  ],
  [
    'an attribute of your own that is far from delay',
    {
      'START.py': 'dead = [1, 2]\nprint(f\'<goto dead="{len(dead)}">SHOW</goto>\')\n',
      'SHOW.sh': 'echo "<result>$dead</result>"\n',
    },
  ],
];
