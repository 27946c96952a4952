// Planted mistakes about what helpers do: files that they name or read, long lists of primes and multiples, and counters that a prompt does not pass on.
import { lines, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const HELPER_MISTAKES: readonly Fault[] = [
  [
    'a file that a Python helper names by its process',
    {
      'SHOW.py': 'import notes\nprint(f"<result>{sum(notes.load())}</result>")\n',
      'START.py': 'import notes\nnotes.save([1, 2, 3])\nprint("<goto>SHOW</goto>")\n',
      'notes.py':
        'import json, os\nfrom pathlib import Path\n\nFILE = Path(os.environ["RAYMOND_TASK_FOLDER"]) / f"notes-{os.getpid()}.json"\n\n\ndef save(value):\n    FILE.write_text(json.dumps(value))\n\n\ndef load():\n    return json.loads(FILE.read_text())\n',
    },
    ['name-of-other-process SHOW.py:2:22'],
  ],
  [
    'a file that a bash helper names by the turn',
    {
      'SHOW.sh': 'set -eu\nsource "$RAYMOND_STATE_DIR/store.sh"\necho "<result>$(get total)</result>"\n',
      'START.sh': 'set -eu\n. "$RAYMOND_STATE_DIR/store.sh"\nput total 5\necho \'<goto>SHOW</goto>\'\n',
      'store.sh':
        'put() {\n  echo "$2" >"$RAYMOND_TASK_FOLDER/$1-$RAYMOND_TURN_ID.txt"\n}\nget() {\n  cat "$RAYMOND_TASK_FOLDER/$1-$RAYMOND_TURN_ID.txt"\n}\n',
    },
    ['name-of-other-process SHOW.sh:3:17'],
  ],
  [
    'primes that are too long for a variable',
    {
      'COUNT.sh': 'set -eu\necho "<result>$(wc -w <<<"$RAYMOND_INPUT") primes</result>"\n',
      'START.js':
        'const limit = 600000;\nfunction isPrime(n) {\n  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false;\n  return n > 1;\n}\nconst found = Array.from({ length: limit }, (_, n) => n).filter((n) => isPrime(n));\nconsole.log(`<goto input="${found.join(\' \')}">COUNT</goto>`);\n',
    },
    ['value-too-long COUNT.sh:2:28'],
  ],
  [
    'a counter with a default that a prompt does not pass on',
    {
      'DRAFT.md':
        '---\nallowed_transitions:\n  - { tag: goto, target: START }\n  - { tag: result }\n---\nThese are tries {{tries}} of 4. In all tries, write a better slogan into slogan.txt.\n\nIf it is good, end with <result>slogan.txt</result>. Otherwise, end with <goto>START</goto>.\n',
      'START.py':
        'import os\ntries = int(os.environ.get("tries", "0")) + 1\nif tries > 4:\n    print("<result>gave up</result>")\nelse:\n    print(f\'<goto tries="{tries}">DRAFT</goto>\')\n',
    },
    ['counter-not-returned START.py:2:9'],
  ],
  [
    'a nested call for each of 3000 names',
    {
      'ADD.js': 'console.log(`<result>${Number(process.env.RAYMOND_RESULT) + 1}</result>`);\n',
      'END.sh': 'echo "<result>$RAYMOND_RESULT names</result>"\n',
      'ONE.js':
        "// names.txt has about 3000 names.\nconst fs = require('fs');\nconst names = fs.readFileSync('names.txt', 'utf8').trim().split('\\n');\nconst index = Number(process.env.index);\nif (index === names.length) console.log('<result>0</result>');\nelse console.log(`<function return=\"ADD\" index=\"${index + 1}\">ONE</function>`);\n",
      'START.js': 'console.log(\'<function return="END" index="0">ONE</function>\');\n',
    },
    ['calls-too-deep ONE.js:6:63'],
  ],
  [
    'a line that a retry appends again beside a key of the turn',
    {
      'START.py':
        '# raymond: retries=5\nimport os, requests\nwith open("hours.txt", "a") as f:\n    f.write("8\\n")\nrequests.post("http://localhost:9/h", json={"h": 8}, headers={"Idempotency-Key": os.environ["RAYMOND_TURN_ID"]}).raise_for_status()\nprint("<goto>SUM</goto>")\n',
      'SUM.sh': 'echo "<result>$(awk \'{s+=$1} END {print s}\' hours.txt)</result>"\n',
    },
    ['repeated-by-retry START.py:3:6'],
  ],
  [
    'a text that a function of the program reads from a file',
    {
      'START.sh': 'echo 0 >"$RAYMOND_TASK_FOLDER/cursor"\necho "<goto>NEXT</goto>"\n',
      'NEXT.js': lines(
        'const fs = require("fs");',
        'const path = require("path");',
        'const file = (name) => path.join(process.env.RAYMOND_TASK_FOLDER, name);',
        'const read = (name) => fs.readFileSync(file(name), "utf8").trim();',
        'const cursor = read("cursor");',
        'fs.writeFileSync(file("cursor"), String(cursor + 1));',
        'console.log(cursor > 8 ? "<result>x</result>" : \'<goto delay="5s">NEXT</goto>\');',
      ),
    },
    ['text-as-number NEXT.js:5:1'],
  ],
  [
    'a text that a function of a Python program reads from a file',
    {
      'START.sh': 'echo 0 >"$RAYMOND_TASK_FOLDER/row"\necho "<goto>ROW</goto>"\n',
      'ROW.py': lines(
        'import os',
        'folder = os.environ["RAYMOND_TASK_FOLDER"]',
        'def load(name):',
        '    with open(os.path.join(folder, name)) as file:',
        '        return file.read().strip()',
        'row = load("row")',
        'if row >= 12:',
        '    print("<result>x</result>")',
        'else:',
        '    with open(os.path.join(folder, "row"), "w") as file:',
        '        file.write(str(int(row) + 1))',
        '    print(\'<reset delay="5s">ROW</reset>\')',
      ),
    },
    ['text-as-number ROW.py:7:4'],
  ],
];
