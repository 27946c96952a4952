// Workflows and calls for the tests of `raymond test`.
import { Place, type Called } from '../support/cli.js';

/** The start of a case of the workflow `letter`. */
export const LETTER = `
claude: { START: { says: <goto>SEND</goto>, writes: { letter.txt: Dear, }, cost: 0.25 } }
commands: { post: 'test -s "$1"' }
start: { input: spring }
`;

/** A place with workflows that cannot run without a test: without their command, their account or their person. */
export const placeOfTests = (): Promise<Place> =>
  Place.at({
    'letter/START.md':
      '---\nallowed_transitions:\n  - { tag: goto, target: SEND.sh }\n---\nDraft a letter about {{input}}.\n',
    'letter/SEND.sh': 'post letter.txt && echo "<result>sent</result>"\n',
    'paid/START.md': '---\naccount: team\nbackend: pi\n---\nSay it.\n',
    'asks/START.sh':
      'echo "<ask next=\\"DONE\\" timeout=\\"1d\\" timeout_next=\\"LATE\\" upload_bucket=\\"true\\">Which?</ask>"\n',
    'asks/DONE.sh':
      'echo "<result>$RAYMOND_INPUT: $(cat "$RAYMOND_TASK_FOLDER/asks/$RAYMOND_ASK_ID/plan.md" 2>/dev/null)</result>"\n',
    'asks/LATE.sh': 'echo "<result>nobody</result>"\n',
  });

/** Writes files of tests, and runs them. */
export async function tested(
  place: Place,
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Called> {
  for (const [name, text] of Object.entries(files)) await place.write(name, text);
  return await place.raymond(['test', ...Object.keys(files), ...args]);
}
