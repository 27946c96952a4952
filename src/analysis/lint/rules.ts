// The table of all rules, which lint, its explanations and the checks of a start use. Unused suppressions and remarks of shellcheck have a
// row here, but are found in suppress.ts and lint.ts.
import { ANSWER_RULES } from './prompts/answer-rules.js';
import { ATTRIBUTE_RULES } from './tags/attribute-rules.js';
import { BEFORE_AWAIT_RULES } from './flow/before-await-rules.js';
import { BESIDE_YAML_RULES } from './settings/beside-yaml-rules.js';
import { CONVERSATION_RULES } from './prompts/conversation-rules.js';
import { DEADLOCK_RULES } from './flow/deadlock-rules.js';
import { DURATION_RULES } from './tags/duration-rules.js';
import { ENVIRONMENT_RULES } from './settings/environment-rules.js';
import { ESCAPING_RULES } from './tags/escaping-rules.js';
import { FIXED_TEXT_RULES } from './prompts/fixed-text-rules.js';
import { FLOW_RULES } from './flow/flow-rules.js';
import { FOLDED_SCRIPT_RULES } from './settings/folded-script-rules.js';
import { GIVEN_TEXT_RULES } from './prompts/given-text-rules.js';
import { HIDDEN_BRANCH_RULES } from './flow/hidden-branch-rules.js';
import { PRINTED_OBJECT_RULES } from './values/printed-object-rules.js';
import { JSON_WORDS_RULES } from './values/json-words-rules.js';
import { IGNORED_RESULT_RULES } from './flow/ignored-result-rules.js';
import { JUDGE_ANSWER_RULES } from './prompts/judge-answer-rules.js';
import { JUDGE_RULES } from './prompts/judge-rules.js';
import { JUDGE_SIGHT_RULES } from './prompts/judge-sight-rules.js';
import { FORKED_WORK_RULES } from './flow/forked-work-rules.js';
import { LEFT_AGENT_RULES } from './flow/left-agent-rules.js';
import { LEFT_CALL_RULES } from './flow/left-call-rules.js';
import { LOOP_RULES } from './flow/loop-rules.js';
import { MANIFEST_RULES } from './settings/manifest-rules.js';
import { PACKAGE_RULES } from './flow/package-rules.js';
import { PATTERN_RULES } from './prompts/pattern-rules.js';
import { POLICY_TEXT_RULES } from './prompts/policy-text-rules.js';
import { PROMPT_RULES } from './prompts/prompt-rules.js';
import { QUOTING_RULES } from './tags/quoting-rules.js';
import { READING_RULES } from './settings/reading-rules.js';
import { REPEAT_RULES } from './flow/repeat-rules.js';
import { FILE_FIELD_RULES } from './values/file-field-rules.js';
import { RESULT_RULES } from './values/result-rules.js';
import type { Rule } from './rule.js';
import { SANDBOX_REACH_RULES } from './settings/sandbox-reach-rules.js';
import { SANDBOX_RULES } from './settings/sandbox-rules.js';
import { AGENT_LIST_RULES } from './agents/agent-list-rules.js';
import { AGENT_NAME_RULES } from './agents/agent-name-rules.js';
import { BASH_NUMBER_RULES } from './numbers/bash-number-rules.js';
import { CHOICE_RULES } from './texts/choice-rules.js';
import { COMPARISON_RULES } from './texts/comparison-rules.js';
import { COUNTER_RULES } from './numbers/counter-rules.js';
import { UNPARSED_JSON_RULES } from './texts/unparsed-json-rules.js';
import { JSON_VALUE_RULES } from './texts/json-value-rules.js';
import { DIRECTORY_RULES } from './files/directory-rules.js';
import { FOLDER_RULES } from './files/folder-rules.js';
import { SCRIPT_FLOW_RULES } from './scripts/flow-rules.js';
import { CONDITION_RULES } from './scripts/condition-rules.js';
import { EMPTIED_FILE_RULES } from './scripts/emptied-file-rules.js';
import { ERREXIT_RULES } from './scripts/errexit-rules.js';
import { LARGE_VALUE_RULES } from './texts/large-value-rules.js';
import { LIFETIME_RULES } from './scripts/lifetime-rules.js';
import { TIMEOUT_RULES } from './tags/timeout-rules.js';
import { AWAIT_VALUE_RULES } from './scripts/await-value-rules.js';
import { ORDER_RULES } from './scripts/order-rules.js';
import { LANGUAGE_RULES } from './scripts/language-rules.js';
import { NAME_RULES } from './scripts/name-rules.js';
import { PIPE_RULES } from './scripts/pipe-rules.js';
import { PLACE_RULES } from './files/place-rules.js';
import { PLACEHOLDER_RULES } from './scripts/placeholder-rules.js';
import { RANGE_RULES } from './numbers/range-rules.js';
import { SAME_FILE_RULES } from './files/same-file-rules.js';
import { SAME_ITEM_RULES } from './files/same-item-rules.js';
import { OVERWRITTEN_RULES } from './files/overwritten-rules.js';
import { RETRIED_EFFECT_RULES } from './scripts/retried-effect-rules.js';
import { SECOND_TIME_RULES } from './files/second-time-rules.js';
import { ROUND_FOLDER_RULES } from './files/round-folder-rules.js';
import { DELETED_FOLDER_RULES } from './files/deleted-folder-rules.js';
import { SILENCE_RULES } from './scripts/silence-rules.js';
import { SLOT_RULES } from './files/slot-rules.js';
import { UNSET_MARK_RULES } from './files/unset-marks.js';
import { STDOUT_RULES } from './scripts/stdout-rules.js';
import { SHOWN_FILE_RULES } from './files/shown-file-rules.js';
import { SHARED_NAME_RULES } from './agents/shared-name-rules.js';
import { VALUE_OUTPUT_RULES } from './texts/value-output-rules.js';
import { UNHANDLED_VALUE_RULES } from './texts/unhandled-value-rules.js';
import { WAVE_RULES } from './agents/wave-rules.js';
import { SESSION_RULES } from './tags/session-rules.js';
import { SCRIPT_RULES } from './scripts/script-rules.js';
import { ITERATOR_RULES } from './scripts/iterator-rules.js';
import { MODULE_RULES } from './files/module-rules.js';
import { DECIMAL_RULES } from './numbers/decimal-rules.js';
import { MEASURE_RULES } from './numbers/measure-rules.js';
import { NUMBER_RULES } from './numbers/number-rules.js';
import { PROMISE_RULES } from './scripts/promise-rules.js';
import { TRUTH_RULES } from './texts/truth-rules.js';
import { SCHEMA_TEXT_RULES } from './values/schema-text-rules.js';
import { SETTING_RULES } from './settings/setting-rules.js';
import { LOST_EFFECT_RULES } from './scripts/lost-effect-rules.js';
import { TAG_FORM_RULES } from './tags/tag-form-rules.js';
import { TAKEN_NAME_RULES } from './tags/taken-name-rules.js';
import { TARGET_RULES } from './tags/target-rules.js';
import { TEXT_RULES } from './prompts/text-rules.js';
import { UNREAD_VALUE_RULES } from './prompts/unread-value-rules.js';
import { UNREAD_SETTINGS_RULES } from './settings/unread-settings-rules.js';
import { TIMEOUT_ATTRIBUTE_RULES } from './tags/timeout-attribute-rules.js';
import { VALUE_RULES } from './values/value-rules.js';
import { VARIABLE_RULES } from './values/variable-rules.js';
import { YAML_COMMENT_RULES } from './settings/yaml-comment-rules.js';

/** Its check is empty: suppress.ts reports it, because it needs the findings of all other rules. */
export const UNUSED_SUPPRESSION: Rule = {
  id: 'unused-suppression',
  severity: 'warning',
  summary: 'A suppression in a state names a rule that does not exist, or a rule that reports nothing in that state.',
  why: 'The finding is gone, or the id is misspelt. Suppressions are written as lint_ignore in a frontmatter, as "# raymond-lint ignore=ID" in a script, or as lint_ignore in the config.',
  check: () => [],
};

/** All rules, by theme. */
export const RULES: readonly Rule[] = [
  ...PACKAGE_RULES,
  ...MANIFEST_RULES,
  ...ENVIRONMENT_RULES,
  ...READING_RULES,
  ...YAML_COMMENT_RULES,
  ...FOLDED_SCRIPT_RULES,
  ...TARGET_RULES,
  ...TAKEN_NAME_RULES,
  ...ATTRIBUTE_RULES,
  ...TIMEOUT_ATTRIBUTE_RULES,
  ...SHOWN_FILE_RULES,
  ...CHOICE_RULES,
  ...SESSION_RULES,
  ...CONVERSATION_RULES,
  ...QUOTING_RULES,
  ...ESCAPING_RULES,
  ...FLOW_RULES,
  ...LEFT_CALL_RULES,
  ...DEADLOCK_RULES,
  ...LOOP_RULES,
  ...COUNTER_RULES,
  ...REPEAT_RULES,
  ...PROMPT_RULES,
  ...TEXT_RULES,
  ...POLICY_TEXT_RULES,
  ...HIDDEN_BRANCH_RULES,
  ...FIXED_TEXT_RULES,
  ...TAG_FORM_RULES,
  ...VARIABLE_RULES,
  ...VALUE_RULES,
  ...GIVEN_TEXT_RULES,
  ...IGNORED_RESULT_RULES,
  ...UNREAD_VALUE_RULES,
  ...DURATION_RULES,
  ...ANSWER_RULES,
  ...LARGE_VALUE_RULES,
  ...RESULT_RULES,
  ...FILE_FIELD_RULES,
  ...JSON_WORDS_RULES,
  ...PRINTED_OBJECT_RULES,
  ...SCHEMA_TEXT_RULES,
  ...SCRIPT_RULES,
  ...SCRIPT_FLOW_RULES,
  ...CONDITION_RULES,
  ...NAME_RULES,
  ...PIPE_RULES,
  ...STDOUT_RULES,
  ...SILENCE_RULES,
  ...ERREXIT_RULES,
  ...EMPTIED_FILE_RULES,
  ...SAME_FILE_RULES,
  ...SAME_ITEM_RULES,
  ...OVERWRITTEN_RULES,
  ...SECOND_TIME_RULES,
  ...RETRIED_EFFECT_RULES,
  ...BASH_NUMBER_RULES,
  ...VALUE_OUTPUT_RULES,
  ...SHARED_NAME_RULES,
  ...LANGUAGE_RULES,
  ...AWAIT_VALUE_RULES,
  ...ORDER_RULES,
  ...PROMISE_RULES,
  ...ITERATOR_RULES,
  ...MODULE_RULES,
  ...COMPARISON_RULES,
  ...JSON_VALUE_RULES,
  ...UNPARSED_JSON_RULES,
  ...UNHANDLED_VALUE_RULES,
  ...RANGE_RULES,
  ...NUMBER_RULES,
  ...MEASURE_RULES,
  ...DECIMAL_RULES,
  ...TRUTH_RULES,
  ...AGENT_LIST_RULES,
  ...WAVE_RULES,
  ...AGENT_NAME_RULES,
  ...FORKED_WORK_RULES,
  ...BEFORE_AWAIT_RULES,
  ...LEFT_AGENT_RULES,
  ...SLOT_RULES,
  ...FOLDER_RULES,
  ...ROUND_FOLDER_RULES,
  ...DIRECTORY_RULES,
  ...DELETED_FOLDER_RULES,
  ...PLACE_RULES,
  ...PLACEHOLDER_RULES,
  ...SANDBOX_RULES,
  ...SANDBOX_REACH_RULES,
  ...SETTING_RULES,
  ...UNREAD_SETTINGS_RULES,
  ...BESIDE_YAML_RULES,
  ...PATTERN_RULES,
  ...JUDGE_RULES,
  ...JUDGE_SIGHT_RULES,
  ...JUDGE_ANSWER_RULES,
  ...LOST_EFFECT_RULES,
  ...UNSET_MARK_RULES,
  ...LIFETIME_RULES,
  ...TIMEOUT_RULES,
  UNUSED_SUPPRESSION,
];

/** The rule with this id; every id of shellcheck has one. */
export function ruleOf(id: string): Omit<Rule, 'check'> | undefined {
  const [, number] = /^sc-(\d{4})$/.exec(id) ?? [];
  if (number === undefined) return RULES.find((rule) => rule.id === id);
  return {
    id,
    severity: 'info',
    summary: 'The program shellcheck has a remark about a bash script.',
    why: `Scripts are checked with shellcheck if it is installed. https://www.shellcheck.net/wiki/SC${number} explains this remark.`,
  };
}
