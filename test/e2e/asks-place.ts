// States that ask, for the tests of questions.

/** A state that answers with what it was told, and one that asks for it. */
export const SAY = 'echo "<result>$RAYMOND_ASK_ID: $RAYMOND_INPUT</result>"\n';
export const COLOUR = 'echo \'<ask next="SAY">Which colour?</ask>\'\n';

/** A workflow that asks twice; its first question expires after a second. */
export const LATE = {
  'late/START.sh': 'echo x >> seen\necho \'<ask next="MORE" timeout="1s">Which colour?</ask>\'\n',
  'late/MORE.sh': 'echo \'<ask next="SAY">And which shade?</ask>\'\n',
  'late/SAY.sh': SAY,
};
