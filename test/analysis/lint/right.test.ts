// Packages that run well have no errors and no warnings: odd, but valid. Each was reported once.
import { describe, expect, test } from '@jest/globals';
import { END, linted, placed, prompt, type Files } from './kit.js';
import { RIGHT_APART } from './right-apart.js';
import { RIGHT_ASKED } from './right-asked.js';
import { RIGHT_CARRIED } from './right-carried.js';
import { RIGHT_GIVEN } from './right-given.js';
import { RIGHT_FOLLOWED } from './right-followed.js';
import { RIGHT_JSON } from './right-json.js';
import { RIGHT_JUDGING } from './right-judging.js';
import { RIGHT_KNOWN } from './right-known.js';
import { RIGHT_CONVERSATIONS } from './right-conversations.js';
import { RIGHT_HELPERS } from './right-helpers.js';
import { RIGHT_HABITS } from './right-habits.js';
import { RIGHT_ENDS } from './right-ends.js';
import { RIGHT_LEFT } from './right-left.js';
import { RIGHT_LIMITS } from './right-limits.js';
import { RIGHT_PATHS } from './right-paths.js';
import { RIGHT_MADE } from './right-made.js';
import { RIGHT_PLACES } from './right-places.js';
import { B, C, RIGHT_PROGRAMS } from './right-programs.js';
import { RIGHT_FORMS } from './right-forms.js';
import { RIGHT_FORKED } from './right-forked.js';
import { RIGHT_FOLDERS } from './right-folders.js';
import { RIGHT_TRIES } from './right-tries.js';
import { RIGHT_PASSING } from './right-passing.js';
import { RIGHT_SHELL } from './right-shell.js';
import { RIGHT_SHOWN } from './right-shown.js';
import { RIGHT_DETOURS } from './right-detours.js';
import { RIGHT_PRINTED } from './right-printed.js';
import { RIGHT_PROMPTS } from './right-prompts.js';
import { RIGHT_REPLIES } from './right-replies.js';
import { RIGHT_VERDICTS } from './right-verdicts.js';
import { RIGHT_SCHEMAS } from './right-schemas.js';
import { RIGHT_SLIPS } from './right-slips.js';
import { RIGHT_TURNS } from './right-turns.js';
import { RIGHT_TYPES } from './right-types.js';
import { RIGHT_VALUES } from './right-values.js';
import { RIGHT_WAVES } from './right-waves.js';
import { RIGHT_TEXTS } from './right-texts.js';

const RIGHT: readonly (readonly [what: string, files: Files])[] = [
  [
    'a prompt that speaks of a tag before it asks for one',
    { 'START.md': 'The `<goto>` tag goes on. Write:\n\n<goto>B</goto>', ...B },
  ],
  [
    'a prompt that speaks of a tag in prose',
    { 'START.md': 'Do not write <goto> alone; now end with <goto>B</goto>', ...B },
  ],
  [
    'labels of its runs',
    {
      'workflow.yaml': 'id: x\nlabels: [issue, branch]\n',
      'START.md': 'Fix {{issue}} on {{branch}}. Say <goto>SHOW</goto>',
      'SHOW.sh': 'echo "<result>$issue</result>"\n',
    },
  ],
  [
    'an old tag in a comment of a prompt',
    { 'START.md': '<!-- old: <goto>LEGACY</goto> -->\nSay <goto>B</goto>', ...B },
  ],
  [
    'braces of another language in code spans',
    { 'START.md': 'Write `{{name}}` and\n```\n{{#each x}} {{title}}\n```\nSay <goto>B</goto>', ...B },
  ],
  [
    'a pattern of extglob',
    {
      'START.sh':
        'shopt -s extglob\ncase "$RAYMOND_INPUT" in\n  +([0-9])) ;;\nesac\nls !(keep) >&2\necho "<result>x</result>"\n',
    },
  ],
  [
    'a function that writes to stderr',
    { 'START.sh': 'log() { echo "$*" >&2; }\nlog "going to <goto>X</goto>"\necho "<goto>B</goto>"\n', ...B },
  ],
  ['a tag in a variable that nobody reads', { 'START.sh': "OLD='<goto>GONE</goto>'\necho '<goto>B</goto>'\n", ...B }],
  ['a tag in hexadecimal', { 'START.sh': "printf '\\x3cresult\\x3eok\\x3c/result\\x3e'\n" }],
  ['a tag in octal', { 'START.sh': 'echo -e "\\074result\\076ok\\074/result\\076"\n' }],
  ['a folder of helpers', { 'SQUARE.sh': 'echo "<result>4</result>"\n', 'CUBE.sh': 'echo "<result>8</result>"\n' }],
  [
    'documents beside states',
    {
      'START.md': 'Read @{{state_dir}}/guidelines.md and say <goto>B</goto>',
      'AGENTS.md': '# Agents\nRead this.',
      'CLAUDE.md': '# Claude',
      'SKILL.md': '---\nname: x\ndescription: y\n---\nDo it.',
      'guidelines.md': '# Guidelines',
      'notes.md': 'Nothing yet.',
      ...B,
    },
  ],
  [
    'examples of tags below force_implicit',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END }\nforce_implicit: true',
        'Tags like <goto>X</goto> do not count. END',
      ),
      ...END,
    },
  ],
  [
    'a loop of scripts that counts',
    {
      'START.sh':
        'n=$(cat n 2>/dev/null || echo 0)\nn=$((n + 1))\necho "$n" > n\nif [ "$n" -lt 3 ]; then echo "<reset>START</reset>"; else echo "<result>x</result>"; fi\n',
    },
  ],
  [
    'examples of XML and other templates in fences',
    {
      'START.md': 'Document:\n```xml\n<result status="ok"><item/></result>\n```\nThen reply with <goto>B</goto>',
      ...B,
    },
  ],
  [
    'a loop that continues until its tag',
    {
      'START.sh':
        'while true; do\n  if ! [ -f x ]; then\n    sleep 1\n    continue\n  fi\n  echo "<goto>B</goto>"\n  exit 0\ndone\n',
      ...B,
    },
  ],
  [
    'a loop that ends with a tag in its last round',
    {
      'START.sh':
        'for i in 1 2 3; do\n  if make; then echo "<result>ok</result>"; exit; fi\n  if [ $i = 3 ]; then echo "<goto>B</goto>"; exit; fi\ndone\n',
      ...B,
    },
  ],
  // Errors that refused what runs.
  ['a tag after exit 0', { 'START.sh': 'echo "<goto>B</goto>"\nexit 0\n\necho "<goto>GONE</goto>"\n', ...B }],
  [
    'forks that Python prints within single quotes',
    {
      'START.sh': 'python3 -c \'\nfor i in range(3): print(f"<fork n=\\"{i}\\" next=\\"WAIT\\">W</fork>")\'\n',
      'W.sh': 'echo "<result>$n</result>"\n',
      'WAIT.sh': 'echo \'<await next="B"/>\'\n',
      ...B,
    },
  ],
  [
    'a workflow that a script writes before it calls it',
    {
      'START.sh':
        "mkdir -p ../gen\ncat > ../gen/START.sh <<'X'\necho '<result>ok</result>'\nX\necho '<call-workflow return=\"B\">../gen/</call-workflow>'\n",
      ...B,
    },
  ],
  [
    'a way out of a loop in prose',
    {
      'START.md': 'Try it. If it fails, reply <goto>FIX</goto>; otherwise the tag is result. At most three rounds.',
      'FIX.md': 'Fix it, then <goto>START</goto>',
    },
  ],
  [
    'an evaluation with a pattern and a judge',
    {
      'START.md':
        "---\nallowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: goto, target: FIX }\nevaluate:\n  - { match: TODO, transition: '<goto>FIX</goto>' }\n  - { state: JUDGE }\n---\nWrite, then <goto>END</goto>",
      'JUDGE.md': 'Judge {{output}} with {{transition}}: <result>keep</result> or <goto>FIX</goto>',
      'FIX.md': 'Fix it, then <goto>END</goto>',
      'END.sh': 'echo "<result>x</result>"',
    },
  ],
  [
    'the folder of a skill',
    {
      'SKILL.md': '---\nname: x\ndescription: y\n---\nRun run.sh',
      'run.sh': 'exec raymond start states\n',
      'workflow.yaml': 'id: x\n',
      'states/START.md': '<result>x</result>',
    },
  ],
  // Scripts as people write them.
  ['a trap that prints the tag', { 'START.sh': 'finish() { echo "<goto>B</goto>"; }\ntrap finish EXIT\nmake\n', ...B }],
  ['a target in a variable', { 'START.sh': 'NEXT=B\n[ -f x ] && NEXT=C\necho "<goto>$NEXT</goto>"\n', ...B, ...C }],
  ['one of two targets', { 'START.sh': '[ -f x ] && N=B || N=C\nprintf "<goto>%s</goto>\\n" "$N"\n', ...B, ...C }],
  [
    'a target that a function prints',
    { 'START.sh': 'pick() { if [ -f x ]; then echo B; else echo C; fi; }\necho "<goto>$(pick)</goto>"\n', ...B, ...C },
  ],
  [
    'a function that prints the tag and ends',
    {
      'START.sh': 'end() { echo "<goto>$1</goto>"; exit 0; }\n[ -f x ] || end B\n[ -f y ] && end C\nend B\n',
      ...B,
      ...C,
    },
  ],
  [
    'a variable that is set again by read, printf -v and eval',
    {
      'START.sh': 'N=GONE\nread -r N < f\nprintf -v M "%s" B\necho "<goto>$N</goto>"\n',
      'B.sh': 'T=GONE\neval "T=START"\nif [ -f x ]; then echo "<goto>$T</goto>"; else echo "<result>x</result>"; fi\n',
    },
  ],
  [
    'a test before a block that ends',
    { 'START.sh': '[ -f x ] && { echo "<goto>B</goto>"; exit; }\necho "<result>x</result>"\n', ...B },
  ],
  ['a choice by && and ||', { 'START.sh': '[ -f x ] && echo "<goto>B</goto>" || echo "<result>x</result>"\n', ...B }],
  [
    'two conditions of which one is true',
    {
      'START.sh': 'if [ -f x ]; then echo "<goto>B</goto>"; fi\nif [ ! -f x ]; then echo "<result>x</result>"; fi\n',
      ...B,
    },
  ],
  [
    'a case without a default in a function that is called with its values',
    {
      'START.sh':
        'say() {\n  case "$1" in\n    ok) echo "<goto>B</goto>" ;;\n    bad) echo "<goto>C</goto>" ;;\n  esac\n}\nif make; then say ok; else say bad; fi\n',
      ...B,
      ...C,
    },
  ],
  [
    'a loop that waits for its tag',
    { 'START.sh': 'while true; do\n  if [ -f x ]; then echo "<goto>B</goto>"; exit 0; fi\n  sleep 1\ndone\n', ...B },
  ],
  [
    'a loop that prints forks',
    {
      'START.sh': 'ls | while read -r f; do\n  echo "<fork item=\\"$f\\" next=\\"WAIT\\">W</fork>"\ndone\n',
      'W.sh': 'echo "<result>$item</result>"\n',
      'WAIT.sh': 'echo \'<await next="B"/>\'\n',
      ...B,
    },
  ],
  ['a tag through tee', { 'START.sh': 'echo "<goto>B</goto>" | tee log\n', ...B }],
  ['a tag to another descriptor', { 'START.sh': 'exec 3>&1 1>&2\nmake\necho "<goto>B</goto>" >&3\n', ...B }],
  [
    'a tag from another program on one of two paths',
    { 'START.sh': 'if [ -f x ]; then echo "<result>x</result>"; exit; fi\npython3 decide.py\n' },
  ],
  ['a last command that counts', { 'START.sh': 'n=1\necho "<goto>B</goto>"\n((n++))\n', ...B }],
  [
    'a guarded value',
    { 'START.sh': 'echo "<goto>N</goto>"\n', 'N.sh': 'echo "<result>${RAYMOND_INPUT:-none}</result>"\n' },
  ],
  [
    'names that stand for any state',
    {
      'START.md':
        'Reply with <goto>STATE</goto>, where STATE is B or C.\n```\n<goto>EXAMPLE</goto>\n```\n<goto>B</goto> or <goto>C</goto>',
      ...B,
      ...C,
    },
  ],
  [
    'a state that a script writes',
    { 'START.sh': 'cat > "$RAYMOND_STATE_DIR/NEXT.md" <<E\nDo it. <result>x</result>\nE\necho "<goto>NEXT</goto>"\n' },
  ],
  ['a state that a prompt asks for', { 'START.md': 'Write NEXT.sh into {{state_dir}}, then reply <goto>NEXT</goto>' }],
  [
    'scripts that others source and run',
    {
      'START.sh': '. "$RAYMOND_STATE_DIR/lib.sh"\nbash "$RAYMOND_STATE_DIR/helper.sh"\necho "<goto>B</goto>"\n',
      'lib.sh': 'log() { echo "$*" >&2; }\n',
      'helper.sh': 'echo hi >&2\n',
      ...B,
    },
  ],
  [
    'a case over what a program prints',
    {
      'START.sh':
        'case "$(uname)" in\n  Linux) t=B ;;\n  Darwin) t=C ;;\n  *) exit 1 ;;\nesac\necho "<goto>$t</goto>"\n',
      ...B,
      ...C,
    },
  ],
  [
    'a loop that may print no fork, with a count beside it',
    {
      'START.sh':
        'n=0\nfor f in *.md; do\n  [ -e "$f" ] || continue\n  echo "<fork f=\\"$f\\" next=\\"WAIT\\">W</fork>"\n  n=$((n+1))\ndone\nif [ $n -eq 0 ]; then echo "<result>none</result>"; fi\n',
      'W.md': '{{f}} <result>x</result>',
      'WAIT.sh': 'echo \'<await next="B"/>\'\n',
      ...B,
    },
  ],
  [
    'a prompt with a policy that explains other tags as code',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: B }',
        'Explain:\n```\n<call return="BACK">SUB</call>\n```\nA mistake is `<goto input=3>NEXT</goto>`. `<await>` has no body; never show `<result>goto</result>`.\n\nThen reply <goto>B</goto>',
      ),
      ...B,
    },
  ],
];

describe('a package that runs well has no errors and no warnings', () => {
  test.each([
    ...RIGHT,
    ...RIGHT_PROGRAMS,
    ...RIGHT_TEXTS,
    ...RIGHT_PRINTED,
    ...RIGHT_DETOURS,
    ...RIGHT_SLIPS,
    ...RIGHT_PLACES,
    ...RIGHT_SHELL,
    ...RIGHT_APART,
    ...RIGHT_SHOWN,
    ...RIGHT_PATHS,
    ...RIGHT_ASKED,
    ...RIGHT_KNOWN,
    ...RIGHT_VALUES,
    ...RIGHT_WAVES,
    ...RIGHT_GIVEN,
    ...RIGHT_JSON,
    ...RIGHT_FOLLOWED,
    ...RIGHT_JUDGING,
    ...RIGHT_LEFT,
    ...RIGHT_LIMITS,
    ...RIGHT_MADE,
    ...RIGHT_TYPES,
    ...RIGHT_TURNS,
    ...RIGHT_PASSING,
    ...RIGHT_TRIES,
    ...RIGHT_HELPERS,
    ...RIGHT_CONVERSATIONS,
    ...RIGHT_FOLDERS,
    ...RIGHT_PROMPTS,
    ...RIGHT_SCHEMAS,
    ...RIGHT_REPLIES,
    ...RIGHT_VERDICTS,
    ...RIGHT_ENDS,
    ...RIGHT_FORKED,
    ...RIGHT_CARRIED,
    ...RIGHT_FORMS,
    ...RIGHT_HABITS,
  ])('%s', async (_what, files) => {
    const findings = await linted(files);
    expect(findings.filter(({ severity }) => severity !== 'info').map(placed)).toEqual([]);
  });
});
