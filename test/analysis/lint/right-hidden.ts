// Packages that are near to the mistakes in mistakes-hidden.ts, but run well.
import { lines, prompt, type Files } from './kit.js';

/** What is odd, and the package. */
export const RIGHT_HIDDEN: readonly (readonly [what: string, files: Files])[] = [
  [
    'a check that writes its list into the file that the prompt names',
    {
      'START.md': 'Write the words to glossary.txt. Then <goto>ORDER</goto>',
      'ORDER.sh': lines(
        'set -e',
        "grep -v ': ' glossary.txt | tee wrong.txt || { echo '<result>fine</result>'; exit 0; }",
        "echo '<goto>CORRECT</goto>'",
      ),
      'CORRECT.md': prompt(
        'allowed_transitions:\n  - { tag: goto, target: ORDER }',
        'The check has just listed what is wrong in wrong.txt. Correct it in glossary.txt. <goto>ORDER</goto>',
      ),
    },
  ],
];
