// Planted mistakes in prompts that ask for what the schema of their result does not allow.
import { prompt, type Fault, type Files } from './kit.js';

/** A prompt with these fields of a schema; its text is from line 6 on. */
export const withFields = (fields: string, body: string): Files => ({
  'START.md': prompt(`result:\n  schema: { type: object, properties: { ${fields} } }`, `\n${body}`),
});

/** The same, without other fields than those. */
export const closed = (fields: string, body: string): Files => ({
  'START.md': prompt(
    `result:\n  schema: { type: object, additionalProperties: false, required: [score], properties: { ${fields} } }`,
    `\n${body}`,
  ),
});

const SCORE = 'score: { type: integer, minimum: 1, maximum: 5 }';
const KIND = 'kind: { type: string, enum: [bug, wish] }';

/** What is wrong, the package, and what is found in it. */
export const SCHEMA_MISTAKES: readonly Fault[] = [
  [
    'a range above the maximum',
    withFields(SCORE, 'Judge it. Give a score from 1 to 10, and a reason.'),
    ['schema-contradicts-text START.md:6:29'],
  ],
  [
    'a range in a list',
    withFields(SCORE, 'Return\n\n- `score`: 0–100 points'),
    ['schema-contradicts-text START.md:8:12'],
  ],
  [
    'a range between two numbers',
    withFields('rating: { type: number, maximum: 1 }', 'The rating is between 0 and 10.'),
    ['schema-contradicts-text START.md:6:23'],
  ],
  [
    'words for a number',
    withFields(SCORE, 'The `score` is one of "high", "medium" and "low".'),
    ['schema-contradicts-text START.md:6:23'],
  ],
  [
    'words for a boolean',
    withFields('ok: { type: boolean }', '- ok: "yes" or "no"'),
    ['schema-contradicts-text START.md:6:7'],
  ],
  [
    'a word that the enum lacks',
    withFields(KIND, 'Its kind is `bug`, `wish` or `question`.'),
    ['schema-contradicts-text START.md:6:31'],
  ],
  [
    'a number of words that the length excludes',
    withFields('summary: { type: string, maxLength: 200 }', 'Write a summary of 150 words.'),
    ['schema-contradicts-text START.md:6:20'],
  ],
  [
    'more items than the list may have',
    withFields('tags: { type: array, maxItems: 3 }', 'Give five short tags.'),
    ['schema-contradicts-text START.md:6:6'],
  ],
  [
    'an example with a word for a number',
    withFields(SCORE, 'Reply with JSON: <result>{"score": "high"}</result>'),
    ['schema-contradicts-text START.md:6:27'],
  ],
  [
    'an example in a code span with a word that the enum lacks',
    withFields(`${KIND}, text: { type: string }`, 'Reply with JSON like `{"text": "a", "kind": "other"}`'),
    ['schema-contradicts-text START.md:6:37'],
  ],
  [
    'an example with a field that the schema forbids',
    closed(SCORE, 'Reply with JSON: <result>{"score": 3, "reason": "clear"}</result>'),
    ['schema-contradicts-text START.md:6:39'],
  ],
  [
    'an example that lacks a field',
    closed(`${SCORE}, reason: { type: string }`, 'Reply with JSON: <result>{"reason": "clear"}</result>'),
    ['schema-contradicts-text START.md:6:26'],
  ],
  [
    'words for a number in a relative clause',
    withFields(SCORE, 'Answer with a `score`, which must be one of the words "low" and "high".'),
    ['schema-contradicts-text START.md:6:55'],
  ],
  [
    'a property with another name than the one that the schema requires and the text asks for',
    closed('\n    points: { type: integer }\n  ', 'Judge it. The `score` is 1 to 5.'),
    ['impossible-result-schema START.md:4:5'],
  ],
];
