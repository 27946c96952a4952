// Packages that are near to the mistakes in mistakes-prompts.ts, but run well.
import { END, prompt, type Files } from './kit.js';

const FORCED = 'allowed_transitions:\n  - { tag: goto, target: END }\nforce_implicit: true';
const FIX = { 'FIX.md': 'Fix it. Then end with <goto>END</goto>\n', ...END };
const GATE = 'allowed_transitions:\n  - { tag: goto, target: END }\n  - { tag: goto, target: FIX }';

/** What is odd, and the package. */
export const RIGHT_PROMPTS: readonly (readonly [what: string, files: Files])[] = [
  [
    'tags that a forced prompt explains',
    {
      'START.md': prompt(
        FORCED,
        'Explain tags such as <result>done</result> in your answer: they continue with <goto>END</goto> whatever you write.\nDo not end with <result>x</result>.',
      ),
      ...END,
    },
  ],
  [
    'an attribute that the policy fills',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: END, colour: red }\nforce_implicit: true',
        'End with <goto colour="red">END</goto>',
      ),
      'END.sh': 'echo "<result>$colour</result>"\n',
    },
  ],
  [
    'a judge that keeps, in capitals, or leads to an allowed state',
    {
      'START.md': prompt(`${GATE}\nevaluate:\n  - { state: JUDGE }`, 'Write it: <goto>END</goto> or <goto>FIX</goto>'),
      'JUDGE.md':
        'Judge {{output}}. If it is good: <result>KEEP</result>. If not: <goto input="why">FIX</goto>. Never answer with <result>ok</result>.\n',
      'FIX.md': 'Fix {{input}}. Then end with <goto>END</goto>\n',
      ...END,
    },
  ],
  [
    'a judge of a state without a policy',
    {
      'START.md': prompt('evaluate:\n  - { state: JUDGE }', 'Write it: <goto>END</goto>'),
      'JUDGE.md': 'Judge {{output}}. If it is good: <result>keep</result>. If not, end with <result>bad</result>\n',
      ...END,
    },
  ],
  [
    'a payload with a bar that the text asks for',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: result, payload: "yes|no" }',
        'Show both answers, yes and no: <result>yes|no</result>',
      ),
    },
  ],
  [
    'states of something else in words',
    {
      'START.md': 'When an order goes to state SHIPPED, note it. Then go to the END state with <goto>END</goto>\n',
      ...END,
    },
  ],
  [
    'a pattern for a line, and one for a reply without a tag',
    {
      'START.md': prompt(
        `${GATE}\nevaluate:\n  - { match: '(?m)^NONE$', transition: '<goto>FIX</goto>' }\n  - { match: '^NONE.*$', transition: '<goto>FIX</goto>' }`,
        'Write it. End with <goto>END</goto> or <goto>FIX</goto>',
      ),
      ...FIX,
    },
  ],
  [
    'tags that the next state writes, and tags for others',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: CHECK }',
        'Write the menu. CHECK will read it, and end with <goto>END</goto>. You must not end with <goto>END</goto> yourself.\nTell the cook to read it, and end with <goto>END</goto>.\nThen end with <goto>CHECK</goto>',
      ),
      'CHECK.sh': 'if [ -s menu.md ]; then echo "<result>x</result>"; else echo "<goto>END</goto>"; fi\n',
      ...END,
    },
  ],
  [
    'a policy that names less than the forks of the text',
    {
      'START.md': prompt(
        'allowed_transitions:\n  - { tag: fork, target: FIX }',
        'End with these tags:\n\n<fork next="WAIT">FIX</fork>\n<fork next="WAIT">FIX</fork>',
      ),
      'WAIT.sh': 'echo \'<await next="END"/>\'\n',
      ...FIX,
    },
  ],
];
