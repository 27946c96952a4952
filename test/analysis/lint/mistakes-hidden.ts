// Planted mistakes about what a state cannot see: files beside the states behind a name or a function, output of a script, and the directory
// of the agent that forks.
import { END, lines, prompt, type Fault } from './kit.js';

const WAIT = { 'WAIT.sh': 'echo \'<await next="END"/>\'\n', ...END };

/** What is wrong, the package, and what is found in it. */
export const HIDDEN_MISTAKES: readonly Fault[] = [
  [
    'a list of wrong entries that a check has only printed, of a file that it reads',
    {
      'START.md': 'Write the words to glossary.txt. Then <goto>ORDER</goto>',
      'ORDER.js': lines(
        "const fs = require('node:fs');",
        "const wrong = fs.readFileSync('glossary.txt', 'utf8').split('\\n').filter((line) => !line.includes(': '));",
        'wrong.forEach((line) => console.log(`- ${line}`));',
        "console.log(wrong.length === 0 ? '<result>fine</result>' : '<goto>CORRECT</goto>');",
      ),
      'CORRECT.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: ORDER }',
        'The check of glossary.txt has just listed what is wrong. Correct it in glossary.txt. <goto>ORDER</goto>',
      ),
    },
    ['unseen-output CORRECT.md:5:5'],
  ],
  [
    'parts with two wildcards in their names, in the directory of the agent that forks',
    {
      'START.sh': 'set -e\nmkdir -p work\ncp novel.txt work/novel.txt\necho \'<reset cd="work">SPLIT</reset>\'\n',
      'SPLIT.sh': lines(
        'set -e',
        'split -a 2 novel.txt part-',
        'for part in part-??; do echo "<fork part=\\"$part\\" next=\\"WAIT\\">COUNT</fork>"; done',
      ),
      'COUNT.sh': 'set -e\nn=$(wc -w <"$part")\necho "<result>$n</result>"\n',
      ...WAIT,
    },
    ['fork-without-cd SPLIT.sh:3:31'],
  ],
];
