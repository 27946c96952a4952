// Planted mistakes in what scripts put together from lists, objects and helper functions, and in agents that wait for each other.
import { END, lines, prompt, type Fault, type Files } from './kit.js';

const RESULT = 'allowed_transitions:\n  - { tag: result }';

/** A state that waits for agents, and one that gets their results. */
export const JOINED: Files = {
  'WAIT.sh': 'echo \'<await next="DONE"/>\'\n',
  'DONE.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
};

/** A prompt whose reply a later prompt needs, and a script between them that begins a fresh conversation. */
export const TALK: Files = {
  'START.md': prompt(
    'allowed_transitions:\n  - { tag: goto, target: COUNT }',
    'Read all interviews in the folder interviews. Say in your reply which sentences are worth quoting. Write no file.\n\nThen end with <goto>COUNT</goto>',
  ),
  'COUNT.js': lines(
    "const names = require('node:fs').readdirSync('interviews');",
    'console.log(`<reset words="${names.length * 90}">OUTLINE</reset>`);',
  ),
};

/** A script that leads to another workflow of the package, whose manifest sets a variable. */
export const NOTICE: Files = {
  'START.sh': 'echo \'<function-workflow return="END" input="7">./notice/</function-workflow>\'\n',
  'notice/workflow.yaml': 'id: notice\nenvironment:\n  SIGNATURE: Your town library\n',
  ...END,
};

/** A script that calls another workflow and needs its result. */
export const LAB: Files = {
  'START.sh': 'echo \'<function-workflow return="REPORT" input="a.csv">./lab/</function-workflow>\'\n',
  'REPORT.py': lines(
    'import os',
    'value = os.environ["RAYMOND_RESULT"]',
    'print(f"<result>the report: {value}</result>")',
  ),
  'biglab/START.sh': 'echo "<result>median $(sort -g "$RAYMOND_INPUT" | head -n 1)</result>"\n',
};

/** What is wrong, the package, and what is found in it. */
export const MADE_MISTAKES: readonly Fault[] = [
  [
    'timeout_next without timeout, in attributes that a function joins',
    {
      'START.js': lines(
        'function question(names) {',
        '  const attributes = [\'next="END"\', `choices="${names.join(\',\')}"`, \'timeout_next="LATE"\'];',
        "  return `<ask ${attributes.join(' ')}>Which menu?</ask>`;",
        '}',
        "console.log(question(['fish', 'rice']));",
      ),
      'LATE.sh': "echo '<result>late</result>'\n",
      ...END,
    },
    ['bad-attribute-value START.js:2:70'],
  ],
  [
    'timeout_next without timeout, in the arguments of a function that writes any tag',
    {
      'START.py': lines(
        'def tag(name, body, **attributes):',
        '    text = "".join(f\' {key}="{value}"\' for key, value in attributes.items())',
        '    return f"<{name}{text}>{body}</{name}>"',
        '',
        '',
        'print(tag("ask", "Publish it?", next="END", timeout_next="LATE"))',
      ),
      'LATE.sh': "echo '<result>late</result>'\n",
      ...END,
    },
    ['bad-attribute-value START.py:6:45'],
  ],
  [
    'a branch of no conversation, in a dict of attributes',
    {
      'START.py': lines(
        'def fork(file):',
        '    attributes = {"context": "branch", "file": file}',
        '    text = " ".join(f\'{key}="{value}"\' for key, value in attributes.items())',
        '    return f"<fork {text}>READ</fork>"',
        '',
        '',
        'print(fork("a.txt"), fork("b.txt"), "<goto>WAIT</goto>")',
      ),
      'READ.md': prompt(RESULT, 'Read {{file}}. End with <result>its demand</result>'),
      ...JOINED,
    },
    ['no-conversation START.py:2:20'],
  ],
  [
    'a branch of no conversation, after a question',
    {
      'START.sh': 'echo \'<ask next="SPREAD" choices="formal,funny">Which tone?</ask>\'\n',
      'SPREAD.js': lines(
        "const tone = process.env.RAYMOND_INPUT === 'funny' ? 'funny' : 'formal';",
        'const attributes = [\'context="branch"\', `tone="${tone}"`, \'next="WAIT"\'];',
        "console.log(`<fork ${attributes.join(' ')}>READ</fork>`);",
      ),
      'READ.md': prompt(RESULT, 'Write a {{tone}} text. End with <result>the text</result>'),
      ...JOINED,
    },
    ['no-conversation SPREAD.js:2:22'],
  ],
  [
    'a choice with a comma, in a text that a list is made of',
    {
      'START.py': lines(
        'import csv',
        'LABEL = "{name}, {seats} seats"',
        'with open("rooms.csv", newline="") as file:',
        '    labels = [LABEL.format(**row) for row in csv.DictReader(file)]',
        'choices = ",".join(labels[:4])',
        'print(f\'<ask next="END" choices="{choices}">Which room?</ask>\')',
      ),
      ...END,
    },
    ['comma-in-choice START.py:2:9'],
  ],
  [
    'a choice with a comma, in a list of a module',
    {
      'slots.js': lines("exports.SLOTS = ['Mon, 09:00', 'Thu, 14:00'];"),
      'START.js': lines(
        "const { SLOTS } = require('./slots.js');",
        'console.log(`<ask next="END" choices="${[...SLOTS, \'never\'].join(\',\')}">When?</ask>`);',
      ),
      ...END,
    },
    ['comma-in-choice slots.js:1:18'],
  ],
  [
    'a comma between two types of a file, in a list of slots',
    {
      'START.py': lines(
        'SLOTS = ["plan:application/pdf", "facade:image/jpeg,image/png"]',
        'slots = ",".join(SLOTS)',
        'print(f\'<ask next="END" upload_slots="{slots}">Please send both.</ask>\')',
      ),
      ...END,
    },
    ['bad-attribute-value START.py:1:35'],
  ],
  [
    'a comma between two types of a file, in an object of types',
    {
      'START.js': lines(
        "const slots = { logo: ['image/png', 'image/svg+xml'], text: ['text/plain'] };",
        "const list = Object.entries(slots).map(([name, types]) => `${name}:${types.join(',')}`).join(',');",
        'console.log(`<ask next="END" upload_slots="${list}">Please send both.</ask>`);',
      ),
      ...END,
    },
    ['bad-attribute-value START.js:2:67'],
  ],
  [
    'a called workflow that leaves the call for another workflow',
    {
      ...LAB,
      'lab/START.py': lines(
        'import os',
        'name = os.environ["RAYMOND_INPUT"]',
        'if os.path.getsize(name) > 500:',
        '    print(f\'<reset-workflow input="{name}">../biglab/</reset-workflow>\')',
        'else:',
        '    print("<result>small</result>")',
      ),
    },
    ['call-left-by-reset START.sh:1:56'],
  ],
  [
    'a called state that leaves the call in one of two cases',
    {
      ...LAB,
      'START.sh': 'echo \'<function return="REPORT">MEASURE</function>\'\n',
      'MEASURE.sh':
        "if [ -s a.csv ]; then echo '<reset-workflow input=\"a.csv\">./biglab/</reset-workflow>'; else echo '<result>none</result>'; fi\n",
    },
    ['call-left-by-reset MEASURE.sh:1:59'],
  ],
  [
    'a variable of another manifest, read by a function',
    {
      ...NOTICE,
      'notice/START.js': lines(
        'function setting(name) {',
        '  const value = process.env[name];',
        '  if (!value) throw new Error(`${name} is not set`);',
        '  return value;',
        '}',
        "console.log(`<result>${setting('SIGNATURE')}</result>`);",
      ),
    },
    ['lost-environment notice/START.js:6:33'],
  ],
  [
    'a variable of another manifest, read by a file that a script sources',
    {
      ...NOTICE,
      'notice/START.sh': '. "$RAYMOND_STATE_DIR/lib.sh"\nsign\necho "<result>signed</result>"\n',
      'notice/lib.sh': 'sign() {\n  echo "${SIGNATURE:?}" >letter.txt\n}\n',
    },
    ['lost-environment notice/lib.sh:2:11'],
  ],
  [
    'a name with a dot that is computed',
    {
      'START.js': lines(
        "for (const language of require('node:fs').readFileSync('languages.txt', 'utf8').split(',')) {",
        '  console.log(`<fork language="${language}" next="WAIT">INVITE.${language}</fork>`);',
        '}',
      ),
      'INVITE.de.md': prompt(RESULT, 'Schreibe auf {{language}}. Ende mit <result>fertig</result>'),
      'INVITE.fr.md': prompt(RESULT, 'Schreibe auf {{language}}. Ende mit <result>fertig</result>'),
      ...JOINED,
    },
    ['missing-target START.js:2:57'],
  ],
  [
    'a name with a dot in a table',
    {
      'START.ts': lines(
        "const steps: Record<string, string> = { a: 'STEP.one', b: 'STEP.two' };",
        "const step = steps[process.env.RAYMOND_INPUT ?? ''] ?? 'STEP.one';",
        'console.log(`<goto>${step}</goto>`);',
      ),
      'STEP.one.sh': "echo '<result>1</result>'\n",
      'STEP.two.sh': "echo '<result>2</result>'\n",
    },
    ['missing-target START.ts:1:45'],
  ],
  [
    'an address that a pattern of another line finds',
    {
      'START.py': lines(
        'import re',
        'SENDER = re.compile(r"^From:.*?([\\w.+-]+@[\\w.-]+)", re.M)',
        'found = SENDER.search(open("mail.txt").read())',
        'print(f\'<goto sender="{found[1]}">REPLY</goto>\' if found else "<result>no sender</result>")',
      ),
      'REPLY.md': prompt(RESULT, 'Answer {{sender}} as in @{{state_dir}}/style.md. End with <result>the text</result>'),
      'style.md': 'Write short sentences.\n',
    },
    ['file-not-read REPLY.md:5:25'],
  ],
  [
    'texts that are filtered by an @',
    {
      'START.js': lines(
        "const people = require('node:fs').readFileSync('people.csv', 'utf8').trim().split('\\n');",
        "const names = people.map((line) => line.split(',')[1]).filter((text) => text.includes('@'));",
        "console.log(`<goto people=\"${names.join(' ').replaceAll('\"', '')}\">REPLY</goto>`);",
      ),
      'REPLY.md': prompt(RESULT, 'Invite {{people}} as in @{{state_dir}}/style.md. End with <result>the text</result>'),
      'style.md': 'Write short sentences.\n',
    },
    ['file-not-read REPLY.md:5:25'],
  ],
  [
    'a file that only the state behind the await creates',
    {
      ...JOINED,
      'START.sh': 'rm -f go\necho \'<fork next="WAIT">PRINT</fork>\'\n',
      'PRINT.py': lines(
        'from pathlib import Path',
        'if not Path("go").exists():',
        '    print(\'<goto delay="2m">PRINT</goto>\')',
        'else:',
        '    print("<result>printed</result>")',
      ),
      'DONE.sh': 'touch go\necho "<result>$RAYMOND_INPUT</result>"\n',
    },
    ['waits-for-each-other PRINT.py:2:9'],
  ],
  [
    'two agents that each wait for a file of the other',
    {
      ...JOINED,
      'START.sh': 'mkdir -p flags\necho \'<fork next="WAIT">LEFT</fork><fork>RIGHT</fork>\'\n',
      'LEFT.sh': "until [ -e flags/right ]; do sleep 5; done\ntouch flags/left\necho '<result>left</result>'\n",
      'RIGHT.sh': "until [ -e flags/left ]; do sleep 5; done\ntouch flags/right\necho '<result>right</result>'\n",
    },
    ['waits-for-each-other LEFT.sh:1:9', 'waits-for-each-other RIGHT.sh:1:9'],
  ],
  [
    'a call for each of more than 500 files',
    {
      'START.js': lines(
        "const names = require('node:fs').readdirSync('scans');",
        "if (names.length > 1500) console.log('<result>too many</result>');",
        'else console.log(`<goto position="0" total="${names.length}">CONVERT</goto>`);',
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
    ['calls-too-deep CONVERT.js:4:92'],
  ],
  [
    'a call for each row, counted down',
    {
      'START.sh': 'echo "<goto left=\\"$(wc -l <list.csv)\\">ROW</goto>"\n',
      'ROW.sh': lines(
        'left=$((left - 1))',
        'if [ "$left" -gt 0 ]; then',
        '  echo "<call return=\\"BACK\\" left=\\"$left\\">ROW</call>"',
        'else',
        "  echo '<result>done</result>'",
        'fi',
      ),
      'BACK.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
    ['calls-too-deep ROW.sh:3:46'],
  ],
  [
    'a reset to a prompt that needs an earlier reply, with a number',
    {
      ...TALK,
      'OUTLINE.md': prompt(
        RESULT,
        'Write {{words}} words into article.md. They rest on what you have just told me about the interviews. End with <result>done</result>',
      ),
    },
    ['unseen-conversation COUNT.js:2:14'],
  ],
  [
    'a reset to a prompt with things that an earlier prompt has chosen',
    {
      ...TALK,
      'OUTLINE.md': prompt(
        RESULT,
        'Write {{words}} words into article.md.\nThe text contains the five sentences that you have chosen. End with <result>done</result>',
      ),
    },
    ['unseen-conversation COUNT.js:2:14'],
  ],
];
