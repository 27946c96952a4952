// Packages that run well have no errors and no warnings: odd, but valid. Each was reported once.
import { describe, expect, test } from '@jest/globals';
import { END, linted, placed, prompt, type Files } from './kit.js';

const B: Files = { 'B.sh': 'echo "<result>x</result>"\n' };

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
    'an old tag in a comment of a prompt',
    { 'START.md': '<!-- old: <goto>LEGACY</goto> -->\nSay <goto>B</goto>', ...B },
  ],
  [
    'braces of another language in code spans',
    { 'START.md': 'Write `{{name}}` and\n```\n{{#each x}} {{title}}\n```\nSay <goto>B</goto>', ...B },
  ],
  [
    'a prompt for a scanner of secrets',
    {
      'START.md':
        'Look for AKIAIOSFODNN7EXAMPLE, ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx and BEGIN RSA PRIVATE KEY. <goto>B</goto>',
      ...B,
    },
  ],
  [
    'a pattern of extglob',
    { 'START.sh': 'shopt -s extglob\ncase "$1" in\n  +([0-9])) ;;\nesac\nls !(keep) >&2\necho "<result>x</result>"\n' },
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
      'START.md': 'Read @guidelines.md and say <goto>B</goto>',
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
];

describe('a package that runs well has no errors and no warnings', () => {
  test.each(RIGHT)('%s', async (_what, files) => {
    const findings = await linted(files);
    expect(findings.filter(({ severity }) => severity !== 'info').map(placed)).toEqual([]);
  });
});
