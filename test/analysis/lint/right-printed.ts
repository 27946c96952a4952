// Packages that are near to the mistakes in mistakes-printed.ts, but run well.
import { END, lines, prompt, type Files } from './kit.js';

const RESULT = 'allowed_transitions:\n  - { tag: result }';

/** What is odd, and the package. */
export const RIGHT_PRINTED: readonly (readonly [what: string, files: Files])[] = [
  [
    'a text shown with print beside the tag of each branch',
    {
      'START.sh': lines(
        'if [ -s urls.txt ]; then',
        "  echo '<goto>END</goto>'",
        'else',
        "  echo '<print>there are none</print>'",
        "  echo '<result>none</result>'",
        'fi',
      ),
      ...END,
    },
  ],
  [
    'a program that shows a text and fails on purpose, and one that imports',
    {
      'START.py': 'import html\nimport os\nprint(f"<result>{html.escape(os.getcwd())}</result>")\n',
    },
  ],
  [
    'require in an async function that the program waits for',
    {
      'START.js': lines(
        'const { readFile } = require("node:fs/promises");',
        'async function main() {',
        '  const text = await readFile("brief.md", "utf8");',
        '  console.log(`<result>${text.length}</result>`);',
        '}',
        'main().then(() => process.exit(0));',
      ),
    },
  ],
  [
    'names of the shell in a prompt, and an attribute that only a prompt can read',
    {
      'START.sh': 'echo \'<goto HOME="/srv" shell-kind="bash">ADVISE</goto>\'\n',
      'ADVISE.md': prompt(RESULT, 'The home is {{HOME}} with {{shell-kind}}; ${HOME} stays. <result>advice</result>'),
    },
  ],
  [
    'states that the README starts by name',
    {
      'README.md': '# Doors\n\nStart `doors` for the day, or `doors/WEEKLY` for the week.\n',
      'START.sh': 'echo \'<goto days="1">END</goto>\'\n',
      'WEEKLY.sh': 'echo \'<goto days="7">END</goto>\'\n',
      ...END,
    },
  ],
  [
    'a script that fails until a file is there, so that it is tried again',
    {
      'START.sh': "# raymond: retries=8\ntest -s dist/app.tar.gz && echo '<goto>END</goto>'\n",
      ...END,
    },
  ],
  [
    'a tag that is printed to the stdout that was kept',
    { 'START.sh': 'exec 3>&1 1>&2\necho "wrote <result>notes</result>"\necho \'<goto>END</goto>\' >&3\n', ...END },
  ],
  [
    'tags that a lesson names, with a transition that is taken in any case',
    {
      'START.md': prompt(
        'force_implicit: true\nallowed_transitions:\n  - { tag: goto, target: QUIZ, input: "one" }',
        'Write about the tags. Mention `<goto>STATE</goto>`, `<await>` and `<call>LIB</call>`.',
      ),
      'QUIZ.md': prompt(RESULT, 'After {{input}}, ask. <result>your question</result>'),
    },
  ],
  [
    'a question that a command prints between the ends of its tag',
    {
      'START.sh': 'echo "<ask next=\\"END\\">"\ncat "$RAYMOND_TASK_FOLDER/reasons.txt"\necho "</ask>"\n',
      ...END,
    },
  ],
  [
    'a template whose placeholders sed fills',
    { 'START.sh': 'sed "s|{{task_folder}}|$RAYMOND_TASK_FOLDER|" page.tmpl >page\necho "<result>ok</result>"\n' },
  ],
  [
    'filters that get their input from a pipe, a file or a group',
    {
      'START.sh': lines(
        'cut -d, -f1 rates.csv | sort -u >ids.txt',
        'wc -l <ids.txt >count.txt',
        '{ sed -n 1p; cat; } <ids.txt >all.txt',
        'tee >(cat >copy.txt) <ids.txt >/dev/null',
        'awk "BEGIN { print 1 }" >one.txt',
        'jq -n "{}" >empty.json',
        'echo "<result>$(cat count.txt)</result>"',
      ),
    },
  ],
  [
    'a number that is made a text before it is joined',
    { 'START.py': 'total = 0\ntotal += 2\nprint("<result>" + str(total) + " pages</result>")\n' },
  ],
  [
    'a program that ends in its callback',
    {
      'START.js': lines(
        "const { execFile } = require('node:child_process');",
        "execFile('npm', ['audit'], (error, stdout) => {",
        "  console.log(stdout === '' ? '<goto>END</goto>' : '<result>none</result>');",
        '  process.exit(0);',
        '});',
      ),
      ...END,
    },
  ],
  [
    'the rest of a queue that is moved back',
    {
      'START.sh': lines(
        'queue=$RAYMOND_TASK_FOLDER/queue.txt',
        'if [ -s "$queue" ]; then',
        '  file=$(head -n 1 "$queue")',
        '  tail -n +2 "$queue" >"$queue.rest" && mv "$queue.rest" "$queue"',
        '  echo "<goto file=\\"$file\\">CHECK</goto>"',
        'else',
        "  echo '<result>done</result>'",
        'fi',
      ),
      'CHECK.sh': 'cksum "$file" >&2\necho \'<goto>START</goto>\'\n',
    },
  ],
  [
    'a test alone at the end of a script that is tried again',
    {
      'START.sh': lines(
        '# raymond: retries=3',
        'echo try >>"$RAYMOND_TASK_FOLDER/tries"',
        "echo '<goto>END</goto>'",
        '[ "$(wc -l <"$RAYMOND_TASK_FOLDER/tries")" -ge 2 ]',
      ),
      ...END,
    },
  ],
  [
    'a tag that a handler prints at the end of the program',
    {
      'START.js': lines(
        'let target;',
        "process.on('exit', (code) => {",
        "  if (code === 0) process.stdout.write('<goto>' + target + '</goto>\\n');",
        '});',
        "console.error('decided against <goto>SLOW</goto>');",
        "target = 'END.sh';",
      ),
      ...END,
    },
  ],
  [
    'a prompt for a scanner of secrets',
    {
      'START.md':
        'Look for AKIAIOSFODNN7EXAMPLE, ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx and BEGIN RSA PRIVATE KEY. <goto>END</goto>',
      ...END,
    },
  ],
  [
    'a goto beside a fork, of which the policy names only the fork with its next',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: fork, target: CRITIC, next: END }',
        'Read src/. Then write both tags:\n\n<fork>CRITIC</fork>\n<goto>END.sh</goto>',
      ),
      'CRITIC.md': prompt(RESULT, 'Criticize it. End with <result>written</result>.'),
      ...END,
    },
  ],
];
