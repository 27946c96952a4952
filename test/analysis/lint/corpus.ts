// The corpus of planted mistakes: small packages with the findings that lint must report, at which line and column. Any other error or
// warning must be listed, too.
import { AGAIN_MISTAKES } from './mistakes-again.js';
import { APART_MISTAKES } from './mistakes-apart.js';
import { ASKED_MISTAKES } from './mistakes-asked.js';
import { GIVEN_MISTAKES } from './mistakes-given.js';
import { HIDDEN_MISTAKES } from './mistakes-hidden.js';
import { FOLLOWED_MISTAKES } from './mistakes-followed.js';
import { QUOTED_MISTAKES } from './mistakes-quoted.js';
import { JSON_MISTAKES } from './mistakes-json.js';
import { JUDGING_MISTAKES } from './mistakes-judging.js';
import { KNOWN_VALUE_MISTAKES } from './mistakes-known.js';
import { PRINTED_MISTAKES } from './mistakes-printed.js';
import { CARRIED_MISTAKES } from './mistakes-carried.js';
import { CONVERSATION_MISTAKES } from './mistakes-conversations.js';
import { DIRECTORY_MISTAKES } from './mistakes-directories.js';
import { FOLDER_MISTAKES } from './mistakes-folders.js';
import { FORM_MISTAKES } from './mistakes-forms.js';
import { HELPER_MISTAKES } from './mistakes-helpers.js';
import { HABIT_MISTAKES } from './mistakes-habits.js';
import { FORKED_MISTAKES } from './mistakes-forked.js';
import { END_MISTAKES } from './mistakes-ends.js';
import { LEFT_MISTAKES } from './mistakes-left.js';
import { LIMIT_MISTAKES } from './mistakes-limits.js';
import { MADE_MISTAKES } from './mistakes-made.js';
import { NAME_MISTAKES } from './mistakes-names.js';
import { PACKAGE_MISTAKES } from './mistakes-package.js';
import { TRIES_MISTAKES } from './mistakes-tries.js';
import { PASSING_MISTAKES } from './mistakes-passing.js';
import { PATH_MISTAKES } from './mistakes-paths.js';
import { PLACE_MISTAKES } from './mistakes-places.js';
import { PROGRAM_MISTAKES } from './mistakes-programs.js';
import { PROMPT_MISTAKES } from './mistakes-prompts.js';
import { REPLY_MISTAKES } from './mistakes-replies.js';
import { VERDICT_MISTAKES } from './mistakes-verdicts.js';
import { SCHEMA_MISTAKES } from './mistakes-schemas.js';
import { SCRIPT_MISTAKES } from './mistakes-scripts.js';
import { SHELL_MISTAKES } from './mistakes-shell.js';
import { SHOWN_MISTAKES } from './mistakes-shown.js';
import { SLIPS } from './mistakes-slips.js';
import { STATE_MISTAKES } from './mistakes-states.js';
import { TAG_MISTAKES } from './mistakes-tags.js';
import { TEXT_MISTAKES } from './mistakes-text.js';
import { TURN_MISTAKES } from './mistakes-turns.js';
import { TYPE_MISTAKES } from './mistakes-types.js';
import { UNREAD_MISTAKES } from './mistakes-unread.js';
import { VALUE_MISTAKES } from './mistakes-values.js';
import { WAVE_MISTAKES } from './mistakes-waves.js';

/** The faults, in the order of the table of rules. */
export const CORPUS = [
  ...PACKAGE_MISTAKES,
  ...TAG_MISTAKES,
  ...STATE_MISTAKES,
  ...PROMPT_MISTAKES,
  ...SCHEMA_MISTAKES,
  ...SCRIPT_MISTAKES,
  ...PROGRAM_MISTAKES,
  ...NAME_MISTAKES,
  ...TEXT_MISTAKES,
  ...PLACE_MISTAKES,
  ...SLIPS,
  ...SHELL_MISTAKES,
  ...ASKED_MISTAKES,
  ...VALUE_MISTAKES,
  ...KNOWN_VALUE_MISTAKES,
  ...PRINTED_MISTAKES,
  ...TYPE_MISTAKES,
  ...TURN_MISTAKES,
  ...PASSING_MISTAKES,
  ...TRIES_MISTAKES,
  ...HELPER_MISTAKES,
  ...CONVERSATION_MISTAKES,
  ...FOLDER_MISTAKES,
  ...END_MISTAKES,
  ...FORM_MISTAKES,
  ...WAVE_MISTAKES,
  ...GIVEN_MISTAKES,
  ...HIDDEN_MISTAKES,
  ...JSON_MISTAKES,
  ...FOLLOWED_MISTAKES,
  ...QUOTED_MISTAKES,
  ...JUDGING_MISTAKES,
  ...LIMIT_MISTAKES,
  ...AGAIN_MISTAKES,
  ...FORKED_MISTAKES,
  ...DIRECTORY_MISTAKES,
  ...UNREAD_MISTAKES,
  ...CARRIED_MISTAKES,
  ...HABIT_MISTAKES,
  ...REPLY_MISTAKES,
  ...VERDICT_MISTAKES,
  ...LEFT_MISTAKES,
  ...APART_MISTAKES,
  ...SHOWN_MISTAKES,
  ...PATH_MISTAKES,
  ...MADE_MISTAKES,
];
