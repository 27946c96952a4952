// Packages that are near to the mistakes in mistakes-shown.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const RESULT = 'allowed_transitions: [{ tag: result }]';

/** What is odd, and the package. */
export const RIGHT_SHOWN: readonly (readonly [what: string, files: Files])[] = [
  [
    'a list for the log, and a prompt that asks git itself',
    {
      'START.sh': lines('set -eu', 'git log --oneline -20', 'echo "<goto>WRITE</goto>"'),
      'WRITE.md': prompt(
        RESULT,
        'Write notes about the commits since the last tag. Use git to find them. <result>the notes</result>',
      ),
    },
  ],
  [
    'a list that only another branch prints',
    {
      'START.py': lines(
        'import os',
        'problems = [name for name in ("a", "b") if not os.path.exists(name)]',
        'if problems:',
        '    for problem in problems:',
        '        print(problem)',
        '    print("<goto>END</goto>")',
        'else:',
        '    print("<goto>PARTY</goto>")',
      ),
      'PARTY.md': prompt(
        RESULT,
        'Tell the team that the problems are solved, each of them. <result>the message</result>',
      ),
      ...END,
    },
  ],
  [
    'a table in the log, and in a file',
    {
      'START.sh': lines('set -eu', 'du -sm -- */ | sort -rn | tee sizes.txt', 'echo "<goto>JUDGE</goto>"'),
      'JUDGE.md': prompt(
        RESULT,
        'Read the table in sizes.txt. Which of these folders can go? <result>their names</result>',
      ),
    },
  ],
  [
    'numbers in the log, and a prompt that needs none',
    {
      'START.sh': lines('set -eu', 'find . -name "*.tmp" -print', 'echo "<goto>WRITE</goto>"'),
      'WRITE.md': prompt(
        RESULT,
        'Write a poem of four lines. The lines rhyme, and each of the lines is short. <result>the poem</result>',
      ),
    },
  ],
  [
    'files in subfolders by paths from the folder of the states',
    {
      'START.sh': lines('set -eu', '. "$RAYMOND_STATE_DIR/lib/names.sh"', 'echo "<goto>SUM</goto>"'),
      'lib/names.sh': 'true\n',
      'SUM.py': lines(
        'import os',
        'from pathlib import Path',
        'HERE = Path(os.environ["RAYMOND_STATE_DIR"])',
        'rates = (HERE / "data" / "rates.json").read_text()',
        'rules = open(os.path.join(HERE, "data/rules.txt")).read()',
        'print(f"<result>{len(rates) + len(rules)}</result>")',
      ),
      'data/rates.json': '{}\n',
      'data/rules.txt': 'x\n',
    },
  ],
  [
    'folders of the package that a state makes in the working directory, too',
    {
      'START.sh': lines(
        'set -eu',
        'mkdir -p out',
        'date >out/date.txt',
        'cp -r "$RAYMOND_STATE_DIR/lib" lib',
        '. lib/names.sh',
        'echo "<goto>END</goto>"',
      ),
      'out/date.txt': 'an old one\n',
      'lib/names.sh': 'true\n',
      'END.sh': 'echo "<result>$(cat out/date.txt)</result>"\n',
    },
  ],
  [
    'a check that writes its list into the file that the prompt names',
    {
      'START.md': 'Write the words to glossary.txt. Then <goto>ORDER</goto>',
      'ORDER.sh': lines(
        'set -e',
        "if grep -v ': ' glossary.txt >wrong.txt; then cat wrong.txt; echo '<goto>CORRECT</goto>'; else echo '<result>fine</result>'; fi",
      ),
      'CORRECT.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: ORDER }',
        'The check has just listed what is wrong in wrong.txt. Correct it in glossary.txt. <goto>ORDER</goto>',
      ),
    },
  ],
  [
    'a file of the project that is shown, beside a written one with a similar name that is shown as well',
    {
      'START.sh': lines(
        'set -eu',
        "grep '^fee' terms.md >terms-new.md",
        'echo \'<ask next="END" display_files="terms-old.md,terms-new.md">Shall we change them?</ask>\'',
      ),
      ...END,
    },
  ],
  [
    'a file that is shown and has a computed name where it is written',
    {
      'START.sh': lines(
        'set -eu',
        'for name in plan-a plan-b; do ./make-plan "$name" >"$name.md"; done',
        'cp plan-a.md plan.md',
        'echo \'<ask next="END" display_files="plan-b.md:B">Is it better?</ask>\'',
      ),
      ...END,
    },
  ],
  [
    'a shown file of the working directory, of which the script keeps a copy in a folder',
    {
      'START.js': lines(
        'const fs = require("fs");',
        'fs.mkdirSync("plans/old", { recursive: true });',
        'console.log(\'<reset cd="plans">WEEK</reset>\');',
      ),
      'WEEK.sh': 'echo Monday >old/week.csv\necho \'<ask next="END" display_files="week.csv">Is it right?</ask>\'\n',
      'END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
  [
    'a file that is shown and printed under another label than its name',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: ASK }',
        'Write the toast for the wedding to speech.txt. End with <goto>ASK</goto>',
      ),
      'ASK.sh': 'echo \'<ask next="PRINT" display_files="speech.txt:Toast">Is it fine?</ask>\'\n',
      'PRINT.sh': 'lp speech.txt\necho "<result>$RAYMOND_INPUT</result>"\n',
    },
  ],
];
