// Packages that are near to the mistakes in mistakes-helpers.ts, but run well.
import type { Files } from './kit.js';

/** What is odd, and the package. */
export const RIGHT_HELPERS: readonly (readonly [what: string, files: Files])[] = [
  [
    'a file that a helper names the same in each turn',
    {
      'SHOW.py': 'import notes\nprint(f"<result>{sum(notes.load())}</result>")\n',
      'START.py': 'import notes\nnotes.save([1, 2, 3])\nprint("<goto>SHOW</goto>")\n',
      'notes.py':
        'import json, os\nfrom pathlib import Path\n\nFILE = Path(os.environ["RAYMOND_TASK_FOLDER"]) / "notes.json"\n\n\ndef save(value):\n    FILE.write_text(json.dumps(value))\n\n\ndef load():\n    return json.loads(FILE.read_text())\n',
    },
  ],
  [
    'a nested call for each of 30 names',
    {
      'ADD.js': 'console.log(`<result>${Number(process.env.RAYMOND_RESULT) + 1}</result>`);\n',
      'END.sh': 'echo "<result>$RAYMOND_RESULT names</result>"\n',
      'ONE.js':
        "// names.txt has about 30 names.\nconst fs = require('fs');\nconst names = fs.readFileSync('names.txt', 'utf8').trim().split('\\n');\nconst index = Number(process.env.index);\nif (index === names.length) console.log('<result>0</result>');\nelse console.log(`<function return=\"ADD\" index=\"${index + 1}\">ONE</function>`);\n",
      'START.js': 'console.log(\'<function return="END" index="0">ONE</function>\');\n',
    },
  ],
  [
    'few primes in a variable',
    {
      'COUNT.sh': 'set -eu\necho "<result>$(wc -w <<<"$RAYMOND_INPUT") primes</result>"\n',
      'START.js':
        'const limit = 6000;\nfunction isPrime(n) {\n  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false;\n  return n > 1;\n}\nconst found = Array.from({ length: limit }, (_, n) => n).filter((n) => isPrime(n));\nconsole.log(`<goto input="${found.join(\' \')}">COUNT</goto>`);\n',
    },
  ],
];
