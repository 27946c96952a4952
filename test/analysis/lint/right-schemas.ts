// Packages that are near to the mistakes in mistakes-schemas.ts, but run well.
import type { Files } from './kit.js';
import { closed, withFields } from './mistakes-schemas.js';

const SCORE = 'score: { type: integer, minimum: 1, maximum: 5 }';

/** What is odd, and the package. */
export const RIGHT_SCHEMAS: readonly (readonly [what: string, files: Files])[] = [
  [
    'ranges of something else',
    withFields(
      SCORE,
      'Read lines 1 to 40. Give a score from 1 to 5 after 10 to 20 minutes. Judge pages 10 to 20 with a score.\nThe score 1 (bad) to 5 (good) counts; divide the points, 0 to 50, by ten for the score.',
    ),
  ],
  [
    'a smaller range, and words that explain numbers',
    withFields(
      SCORE,
      'The score is 1 ("bad") to 4 ("good"), or one of "1", "2" and "3". Name "high" or "low" reasons for a score.',
    ),
  ],
  [
    'the words of the enum, and examples with open parts',
    withFields(
      `${SCORE}, kind: { type: string, enum: [bug, wish] }, text: { type: string, maxLength: 600 }, tags: { type: array, maxItems: 3 }`,
      'The kind is "bug" or "wish". The text has 100 words at most, and there are up to three tags for 12 files.\nReply with JSON: <result>{"score": "a number", "kind": "bug|wish", "text": "…", "tags": []}</result>',
    ),
  ],
  [
    'JSON that is no result',
    withFields(
      SCORE,
      'The file has lines like `{"id": 1, "score": "high"}`. Reply with JSON: <result>{"score": 3, "why": "clear"}</result>',
    ),
  ],
  [
    'a required property, and one that is not required',
    closed(`${SCORE}, points: { type: integer }`, 'The `score` is 1 to 5, and there may be `points`.'),
  ],
];
