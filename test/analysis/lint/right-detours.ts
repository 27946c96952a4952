// Packages whose values, tags and outputs take a detour, but which run well.
import { END, lines, prompt, type Files } from './kit.js';

const RESULT = 'allowed_transitions:\n  - { tag: result }';

/** What is odd, and the package. */
export const RIGHT_DETOURS: readonly (readonly [what: string, files: Files])[] = [
  [
    'a function that builds its tag with an attribute that may be missing',
    {
      'START.sh': lines(
        `tag() { printf '<%s%s>%s</%s>\\n' "$1" "\${3:+ $3}" "$2" "$1"; }`,
        `tag goto NEXT "ports='3'"`,
      ),
      'NEXT.sh': 'echo "<result>$ports</result>"\n',
    },
  ],
  [
    'a tag in a variable that a trap prints',
    {
      'START.sh': lines(
        "tag='<result>stopped</result>'",
        `trap 'echo "$tag"; exit 0' EXIT`,
        'if [ -e ready ]; then exit 0; fi',
        `tag='<goto>END</goto>'`,
      ),
      ...END,
    },
  ],
  [
    'a tag of nowhere behind a redirection to stderr',
    { 'START.sh': "exec 3>&1 1>&2\necho 'log: <goto>NOWHERE</goto>'\necho '<result>ok</result>' >&3\n" },
  ],
  [
    'a target that console.log puts into its format',
    {
      'START.js': lines(
        "const { existsSync } = require('node:fs');",
        "console.log('<goto>%s</goto>', existsSync('a') ? 'END' : 'OTHER');",
      ),
      'OTHER.sh': 'echo "<result>x</result>"\n',
      ...END,
    },
  ],
  [
    'a state that the description of the manifest tells people to start, and one that a comment does',
    {
      'workflow.yaml': 'id: doors\ndescription: In an emergency, start the state ROLLBACK by its name.\n',
      'START.sh': "echo '<goto>END</goto>'\n",
      'ROLLBACK.sh': 'echo "<result>back</result>"\n',
      'HOTFIX.sh': '# For people: raymond start doors/HOTFIX\necho "<goto>END</goto>"\n',
      ...END,
    },
  ],
  [
    'forks that sed writes for each line',
    {
      'START.sh': lines(
        'cut -d/ -f2 names.txt | sed \'s|.*|<fork input="&" kind="smoke">CHECK</fork>|\'',
        "echo '<goto>WAIT</goto>'",
      ),
      'CHECK.sh': 'echo "<result>$input $kind</result>"\n',
      'WAIT.sh': 'echo \'<await next="END">\'\n',
      ...END,
    },
  ],
  [
    'braces that the text tells the model to keep',
    { 'START.md': prompt(RESULT, 'Write the mail. Keep {{first_name}} as it is. <result>the mail</result>') },
  ],
  [
    'a script of all states that asks for its own name',
    {
      'flow.yaml': lines(
        'states:',
        '  START:',
        '    sh: &both |',
        '      case ${RAYMOND_STATE_FILE##*/} in',
        "        START.sh) echo '<goto>SECOND</goto>' ;;",
        '        *) echo "<result>both</result>" ;;',
        '      esac',
        '  SECOND:',
        '    sh: *both',
      ),
    },
  ],
  [
    'a helper beside the folder of the states, and a decorator with a dot',
    {
      'START.sh': '. "${RAYMOND_STATE_DIR%/*}/shared/lib.sh"\nfinish ok || echo "<result>none</result>"\n',
      'CHECK.py': lines(
        'import functools',
        'def logged(call):',
        '    @functools.wraps(call)',
        '    def inner():',
        '        return call()',
        '    return inner',
        'print(f"<result>{logged(len).__name__}</result>")',
      ),
      'README.md': '# Doors\n\nStart `doors/CHECK` for the check.\n',
    },
  ],
  [
    'a file that is read, split and joined in the lines of one statement',
    {
      'START.js': lines(
        "const { readFileSync } = require('node:fs');",
        "const rows = readFileSync('names.csv', 'utf8')",
        '  .trim()',
        "  .split('\\n');",
        'const bad = rows.filter((row) => !/^s/.test(row));',
        'console.log(`<result>${bad.length} of ${rows.length}</result>`);',
      ),
    },
  ],
  [
    'tags that a training page explains',
    {
      'START.md': prompt(
        "force_implicit: true\nallowed_transitions:\n  - { tag: result, payload: 'written' }",
        'Explain each with an example: `<ask next="START">Send it?</ask>` and\n`<result>sent</result>`. Write them, too.',
      ),
    },
  ],
];
