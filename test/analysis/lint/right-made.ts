// Packages that run well: the neighbours of the mistakes in mistakes-made.ts.
import { END, lines, prompt, type Files } from './kit.js';
import { JOINED, LAB, NOTICE, TALK } from './mistakes-made.js';

const RESULT = 'allowed_transitions:\n  - { tag: result }';

/** What is odd about the package, and the package. */
export const RIGHT_MADE: readonly (readonly [what: string, files: Files])[] = [
  [
    'attributes of an await from an object, with a timeout',
    {
      'START.sh': 'echo \'<fork next="WAIT">PART</fork>\'\n',
      'PART.sh': "echo '<result>1</result>'\n",
      'WAIT.js': lines(
        "const attributes = { next: 'DONE', timeout: '1h', timeout_next: 'LATE' };",
        'const text = Object.entries(attributes).map(([key, value]) => `${key}="${value}"`).join(\' \');',
        'console.log(`<await ${text}/>`);',
      ),
      'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'LATE.sh': "echo '<result>late</result>'\n",
    },
  ],
  [
    'a branch of the conversation of a prompt, in a dict of attributes',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: SPLIT }',
        'Read plan.txt. End with <goto>SPLIT</goto>',
      ),
      'SPLIT.py': lines(
        'attributes = {"context": "branch", "part": "first", "next": "WAIT"}',
        'text = " ".join(f\'{key}="{value}"\' for key, value in attributes.items())',
        'print(f"<fork {text}>READ</fork>")',
      ),
      'READ.md': prompt(RESULT, 'Do the {{part}} part of the plan. End with <result>what you did</result>'),
      ...JOINED,
    },
  ],
  [
    'commas in the fields of a table from which choices are made',
    {
      'START.js': lines(
        "const plans = [{ name: 'small', note: 'up to 3, at most 4 people' }, { name: 'large', note: 'more, of course' }];",
        'console.log(`<ask next="END" choices="${plans.map(({ name }) => name).join(\',\')}">Which plan?</ask>`);',
      ),
      ...END,
    },
  ],
  [
    'choices without their commas',
    {
      'START.py': lines(
        'rooms = ["Hall A, left", "Hall B, right"]',
        'choices = ",".join(room.replace(",", " -") for room in rooms)',
        'print(f\'<ask next="END" choices="{choices}">Which room?</ask>\')',
      ),
      ...END,
    },
  ],
  [
    'types of a file that a bar separates',
    {
      'START.js': lines(
        "const slots = { logo: ['image/png', 'image/svg+xml'], text: ['text/plain'] };",
        "const list = Object.entries(slots).map(([name, types]) => `${name}:${types.join('|')}`).join(',');",
        'console.log(`<ask next="END" upload_slots="${list}">Please send both.</ask>`);',
      ),
      ...END,
    },
  ],
  [
    'a call of a workflow that calls another one',
    {
      ...LAB,
      'lab/START.sh':
        'echo "<function-workflow return=\\"BACK\\" input=\\"$RAYMOND_INPUT\\">../biglab/</function-workflow>"\n',
      'lab/BACK.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
  ],
  [
    'a call that is given up after a failure',
    {
      ...LAB,
      'lab/START.sh':
        'if [ -s a.csv ]; then echo "<result>$(head -n 1 a.csv)</result>"; else echo \'<reset-workflow>../alarm/</reset-workflow>\'; fi\n',
      'alarm/START.sh': "echo alarm >>alarms.txt\necho '<result>alarm</result>'\n",
    },
  ],
  [
    'a variable of another manifest with a default, read by a function',
    {
      ...NOTICE,
      'notice/START.js': lines(
        'const setting = (name, otherwise) => process.env[name] ?? otherwise;',
        "console.log(`<result>${setting('SIGNATURE', 'the library')}</result>`);",
      ),
    },
  ],
  [
    'a computed name with its extension',
    {
      'START.js': lines(
        "const language = require('node:fs').readFileSync('language.txt', 'utf8').trim();",
        'console.log(`<goto>INVITE.${language}.md</goto>`);',
      ),
      'INVITE.de.md': prompt(RESULT, 'Schreibe eine Einladung. Ende mit <result>fertig</result>'),
    },
  ],
  [
    'the name before the @ of an address',
    {
      'START.py': lines(
        'import re',
        'found = re.compile(r"^From: ([\\w.+-]+@[\\w.-]+)", re.M).search(open("mail.txt").read())',
        'who = found[1].split("@")[0] if found else "unknown"',
        'print(f\'<goto sender="{who}">REPLY</goto>\')',
      ),
      'REPLY.md': prompt(RESULT, 'Answer {{sender}} as in @{{state_dir}}/style.md. End with <result>the text</result>'),
      'style.md': 'Write short sentences.\n',
    },
  ],
  [
    'a file that another agent creates',
    {
      ...JOINED,
      'START.sh': 'rm -f go\necho \'<fork next="WAIT">PRINT</fork><fork>WRITE</fork>\'\n',
      'PRINT.sh': "until [ -e go ]; do sleep 5; done\necho '<result>printed</result>'\n",
      'WRITE.sh': "touch go\necho '<result>written</result>'\n",
    },
  ],
  [
    'a file that the state after a timeout creates',
    {
      ...JOINED,
      'START.sh': 'echo \'<fork next="WAIT">PRINT</fork>\'\n',
      'PRINT.sh': "until [ -e enough ]; do sleep 5; done\necho '<result>printed</result>'\n",
      'WAIT.sh': 'echo \'<await next="DONE" timeout="1m" timeout_next="LATE"/>\'\n',
      'LATE.sh': 'touch enough\necho \'<await next="DONE"/>\'\n',
    },
  ],
  [
    'a call for each of a few files',
    {
      'START.js': lines(
        "const names = require('node:fs').readdirSync('scans').slice(0, 20);",
        'console.log(`<goto position="0" total="${names.length}">CONVERT</goto>`);',
      ),
      'CONVERT.js': lines(
        'const position = Number(process.env.position);',
        'const total = Number(process.env.total);',
        'const next = position + 1;',
        'if (next < total) console.log(`<function return="BACK" position="${next}" total="${total}">CONVERT</function>`);',
        "else console.log('<result>done</result>');",
      ),
      'BACK.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
  ],
  [
    'a reset to a prompt that chooses for itself',
    {
      ...TALK,
      'OUTLINE.md': prompt(
        RESULT,
        'Pick five sentences from the folder interviews. Write {{words}} words into article.md, with the sentences that you have picked. End with <result>done</result>',
      ),
    },
  ],
];
