// Programs that are near to the mistakes in mistakes-types.ts, but run well.
import { prompt, type Files } from './kit.js';

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

const JUDGED = {
  'START.sh': 'echo \'<function return="GATE">JUDGE</function>\'\n',
  'JUDGE.md': prompt(
    'result:\n  schema:\n    type: object\n    required: [score, signed]\n    properties:\n      score: { type: integer }\n      signed: { type: boolean }',
    'Judge it, as JSON in <result>…</result>.',
  ),
};

/** What is odd, and the package. */
export const RIGHT_TYPES: readonly (readonly [what: string, files: Files])[] = [
  [
    'numbers that Python makes of texts',
    {
      ...JUDGED,
      'GATE.py': lines(
        'import os',
        'score = int(os.environ["RAYMOND_RESULT_score"])',
        'signed = os.environ["RAYMOND_RESULT_signed"]',
        'title = os.environ.get("RAYMOND_AGENT_ID", "") + "-1"',
        'if score + 1 >= 7 and signed == "true" and len(title) > 3:',
        '    print(f"<result>score >= 7: {score}, signed == True, {title}</result>")',
        'else:',
        '    print("<result>score + 1 < 7</result>")',
      ),
    },
  ],
  [
    'numbers that JavaScript makes of texts',
    {
      ...JUDGED,
      'GATE.js': lines(
        'let score = process.env.RAYMOND_RESULT_score;',
        'score++;',
        "const name = 'v' + process.env.RAYMOND_AGENT_ID + 1;",
        'const next = +process.env.RAYMOND_RESULT_score + 1;',
        'const twice = process.env.RAYMOND_RESULT_score * 2 + 1;',
        'const signed = process.env.RAYMOND_RESULT_signed === "true";',
        'console.log(score > 7 && signed ? `<result>${name} + 1 ${next}</result>` : `<result>bad ${twice}</result>`);',
      ),
    },
  ],
  [
    'an attribute whose presence is the condition, and a value that must be there',
    {
      'START.sh':
        'if [ -f x ]; then\n  echo \'<goto again="no" dry="false">NEXT</goto>\'\nelse\n  echo \'<goto dry="true">NEXT</goto>\'\nfi\n',
      'NEXT.py': lines(
        'import os',
        'import sys',
        'dry = os.environ.get("dry")',
        'if not dry:',
        '    sys.exit("dry is missing")',
        'if os.environ.get("again"):',
        '    print("<result>again</result>")',
        'else:',
        '    print(f"<result>{dry}</result>")',
      ),
    },
  ],
  [
    'a list of agents that a function reads, and results that are JSON',
    {
      'START.sh': 'echo \'<fork next="WAIT" topic="a">WORK</fork>\'\n',
      'WORK.md': 'Review {{topic}}: <result>{"verdict": "accept"}</result>',
      'WAIT.sh': 'echo \'<await next="JOIN"/>\'\n',
      'JOIN.py': lines(
        'import json',
        'import os',
        'def load():',
        '    return json.loads(os.environ["RAYMOND_INPUT"])',
        'votes = []',
        'for agent in load():',
        '    review = json.loads(agent["result"])',
        '    votes.append(review["verdict"])',
        'print(f"<result>{len(votes)}</result>")',
      ),
    },
  ],
];
