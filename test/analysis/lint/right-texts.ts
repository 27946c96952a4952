// Scripts and prompts near the mistakes of mistakes-names.ts and mistakes-text.ts, which are right.
import { END, lines, type Files } from './kit.js';

/** What is odd, and the package. */
export const RIGHT_TEXTS: readonly (readonly [what: string, files: Files])[] = [
  [
    'loops that count',
    {
      'START.sh':
        '#!/bin/bash\nset -euo pipefail\nn=0\nwhile [ "$n" -lt 3 ]; do n=$((n + 1)); echo "$n" >&2; done\nfor ((i = 0; i < 3; i++)); do echo "$i" >&2; done\nuntil curl -fs localhost >/dev/null || [ "$n" -ge 5 ]; do ((n++)) || true; sleep 1; done\nuntil [ -f ready ]; do sleep 1; done\necho "<goto n=\\"$n\\">END</goto>"\n',
      ...END,
    },
  ],
  [
    'dollars that other programs read',
    {
      'START.sh':
        "cat > run.sh <<'EOF'\n#!/bin/bash\necho \"$name and $(date)\"\nEOF\nawk '{print $1, $name}' x >&2\necho '<result>It costs $5 and needs $HOME</result>'\n",
    },
  ],
  [
    'a loop of a pipeline that keeps its variables',
    {
      'START.sh':
        'count=0\nwhile read -r line; do count=$((count + 1)); done < <(cat items.txt)\ncat items.txt | while read -r x; do y=$x; echo "$y" >&2; done\necho "<result>$count</result>"\n',
    },
  ],
  [
    'a function with arguments',
    {
      'START.sh':
        'say() { echo "<result>$1</result>"; }\nif [[ "$RAYMOND_INPUT" > "m" ]]; then say late; else say early; fi\n',
    },
  ],
  [
    'variables that bash reads',
    {
      'START.sh':
        'mapfile -t files < <(ls)\nread -r first rest <<< "$RAYMOND_INPUT"\nIFS=, read -ra parts <<< "$rest"\ndeclare -A seen\nfor f in "${files[@]}"; do seen[$f]=1; done\necho "<result>$first ${parts[0]} ${#seen[@]}</result>"\n',
    },
  ],
  ['arguments that a script sets', { 'START.sh': 'set -- $RAYMOND_INPUT\necho "<result>$1 of $#</result>"\n' }],
  [
    'variables that may be absent',
    {
      'START.sh':
        'if [ -n "$http_proxy" ]; then echo proxy >&2; fi\necho "<result>${colour:-red} ${n-3} ${x+set}</result>"\n',
    },
  ],
  [
    'a unit behind a number',
    {
      'START.sh': 'minutes=5\necho "<goto delay=\\"${minutes}m\\" input=\\"$((minutes * 2))min\\">END</goto>"\n',
      ...END,
    },
  ],
  [
    'a task of ones own',
    {
      'START.md': 'Read. <fork next="WAIT" context="branch" task="the tests">LOOK</fork>\n',
      'LOOK.md': 'Look at {{task}}: <result>ok</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
  ],
  [
    'a branch behind a prompt',
    {
      'START.md': 'Read. <goto>SPLIT</goto>\n',
      'SPLIT.sh': 'for t in a b; do echo "<fork context=\\"branch\\" next=\\"WAIT\\" t=\\"$t\\">LOOK</fork>"; done\n',
      'LOOK.md': 'Look at {{t}}: <result>ok</result>\n',
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
  ],
  [
    'a context of ones own',
    {
      'START.sh': 'echo \'<goto context="the billing module">LOOK</goto>\'\n',
      'LOOK.md': 'Look at {{context}}: <result>ok</result>\n',
    },
  ],
  [
    'an exit at the end',
    {
      'START.sh':
        "case \"$RAYMOND_INPUT\" in\n  a) echo '<goto>END</goto>' ;;\n  *) echo '<result>x</result>' ;;\nesac\nexit 0\n",
      ...END,
    },
  ],
  [
    'a loop that a function ends',
    {
      'START.sh':
        'done_=no\ncheck() { done_=yes; }\nuntil [ "$done_" = yes ]; do check; done\necho \'<goto>END</goto>\'\n',
      ...END,
    },
  ],
  [
    'a loop with a deadline',
    {
      'START.sh':
        "deadline=$((SECONDS + 60))\nuntil [ -e up ] || [ $SECONDS -gt $deadline ]; do sleep 1; done\necho '<goto>END</goto>'\n",
      ...END,
    },
  ],
  [
    'a Python program with all kinds of definitions',
    {
      'START.py':
        '#!/usr/bin/env python3\nfrom __future__ import annotations\nimport json, os, sys\nfrom dataclasses import dataclass\nfrom pathlib import Path as P\n@dataclass\nclass Item:\n    name: str\n    n: int = 0\n    def line(self) -> str:\n        return f"{self.name}: {self.n}"\ndef load(path, *, strict=False, **kw):\n    try:\n        with open(path) as f, open(os.devnull) as g:\n            return [Item(**x) for x in json.load(f) if (y := x)]\n    except (OSError, ValueError) as error:\n        print(f"cannot read {path}: {error}", file=sys.stderr)\n        return []\ndef main() -> int:\n    items = load("x.json")\n    total, *others = sum(i.n for i in items), 0\n    names = {k: v for k, v in enumerate(items)}\n    print(f\'<goto n="{total}" json="{{}}">END</goto>\')\n    return 0\nif __name__ == "__main__":\n    sys.exit(main())\n',
      ...END,
    },
  ],
  [
    'a template of Python',
    { 'START.py': 'TEMPLATE = \'<goto n="{n}">END</goto>\'\nn = 3\nprint(TEMPLATE.format(n=n))\n', ...END },
  ],
  [
    'a template of string',
    {
      'START.py':
        'import string\nwho = "x"\nprint(string.Template(\'<result>hello $who</result>\').substitute(who=who))\n',
    },
  ],
  [
    'loops of Python that end',
    {
      'START.py':
        "import time\ndef ready(): return True\ntries = 0\nwhile tries < 3:\n    tries += 1\n    if ready(): break\nwhile not ready():\n    time.sleep(1)\nprint('<goto>END</goto>')\n",
      ...END,
    },
  ],
  [
    'loops of Python that others end',
    {
      'START.py':
        'queue = ["a"]\nwhile queue:\n    item = queue.pop()\nstate = {"n": 0}\ndef step():\n    global left\n    left -= 1\nleft = 3\nwhile left > 0:\n    step()\nprint(\'<goto>END</goto>\')\n',
      ...END,
    },
  ],
  [
    'braces that are no placeholders',
    { 'START.py': 'import re\nprint(\'<result>a set is {a, b} and json {"a": 1} and regex x{2}</result>\')\n' },
  ],
  [
    'a main of asyncio',
    {
      'START.py':
        "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    print('<goto>END</goto>')\nasyncio.run(main())\n",
      ...END,
    },
  ],
  [
    'functions in functions of Python',
    {
      'START.py':
        'x = lambda q: q + 1\nfor i, (a, b) in enumerate([(1, 2)]):\n    x(i + a + b)\ndef outer():\n    count = 0\n    def inner():\n        nonlocal count\n        count += 1\n    inner()\n    return count\nprint(f\'<goto n="{outer()}">END</goto>\')\n',
      ...END,
    },
  ],
  [
    'switches over a union of TypeScript',
    {
      'START.ts':
        "type Mode = 'a' | 'b';\ninterface Job { kind: 'x' | 'y'; n: number }\nfunction pick(mode: Mode): string {\n  switch (mode) {\n    case 'a': return 'END';\n    case 'b': return 'END';\n  }\n}\nconst mode = (process.env.RAYMOND_INPUT ?? 'a') as Mode;\nswitch (mode) {\n  case 'a': console.log(`<goto>${pick(mode)}</goto>`); break;\n  case 'b': console.log('<result>x</result>'); break;\n}\n",
      ...END,
    },
  ],
  [
    'a switch over a field of TypeScript',
    {
      'START.ts':
        "interface Job { kind: 'x' | 'y' }\nfunction run(job: Job): void {\n  switch (job.kind) {\n    case 'x': console.log('<goto>END</goto>'); return;\n    case 'y': console.log('<result>x</result>'); return;\n  }\n}\nrun({ kind: 'x' });\n",
      ...END,
    },
  ],
  [
    'a JavaScript program with all kinds of definitions',
    {
      'START.js':
        "import { readFile } from 'node:fs/promises';\nimport * as path from 'node:path';\nconst { name = 'x', ...rest } = JSON.parse(await readFile('x.json', 'utf8'));\nlet done = false;\nsetTimeout(() => { done = true; }, 10);\nwhile (!done) await new Promise((resolve) => setTimeout(resolve, 5));\nconst list = [1, 2].map((n, index) => n + index);\nfor (const item of list) console.error(item, path.sep, rest);\nclass Foo extends Map { #x = 1; get y() { return this.#x; } }\nconsole.log(`<goto n=\"${new Foo().y}\" name=\"${name}\">END</goto>`);\n",
      ...END,
    },
  ],
  [
    'placeholders of console.log',
    { 'START.js': "const x = 'a';\nconsole.log('<goto n=\"%s\">END</goto>', x);\n", ...END },
  ],
  [
    'variables of JavaScript that may be absent',
    {
      'START.js':
        "const level = process.env.level ?? '3';\nconst debug = process.env.debug ? 1 : 0;\nif (process.env.verbose) console.error('v');\nconsole.log(`<result>${level}${debug}</result>`);\n",
    },
  ],
  [
    'braces and dollars in a prompt',
    {
      'START.md':
        'Use `{title}` in the code, e.g. `$title`, and ${HOME}. JSON: {"a": 1}. <goto title="x">NEXT</goto>\n',
      'NEXT.md': 'The title is {{title}}; in the file it is `{title}`. <result>x</result>\n',
    },
  ],
  [
    'a policy that leaves next open',
    {
      'START.md':
        '---\nallowed_transitions:\n  - { tag: fork, target: WORK }\n  - { tag: result }\n---\nFork <fork next="JOIN" item="a">WORK</fork>, or <result>none</result>\n',
      'WORK.md': 'Do {{item}} <result>x</result>\n',
      'JOIN.sh': 'echo \'<await next="END"/>\'\n',
      ...END,
    },
  ],
  [
    'the version in a file',
    {
      'START.sh':
        'version=$(cat version.txt)\nsha=$(git rev-parse HEAD)\necho "<goto version=\\"$version\\" sha=\\"$sha\\">END</goto>"\n',
      ...END,
    },
  ],
  [
    'tests of bash',
    {
      'START.sh':
        "if [ \"$RAYMOND_INPUT\" = \"\" ]; then echo '<result>none</result>'; exit; fi\nif [ -z \"$RAYMOND_INPUT\" -o ! -e x ]; then echo '<result>none</result>'; exit 0; fi\nif [ $((1 + 2)) -gt 2 ] 2>/dev/null; then echo '<goto>END</goto>'; else echo '<result>x</result>'; fi\n",
      ...END,
    },
  ],
  [
    'a quoted here-document that becomes a script, and one that is not quoted around a tag',
    {
      'START.sh': lines(
        'name=$(head -1 names.txt)',
        "cat >check.sh <<'END'",
        'echo "$HOME $name"',
        'END',
        'cat <<END',
        '<result>$name</result>',
        'END',
      ),
    },
  ],
];
