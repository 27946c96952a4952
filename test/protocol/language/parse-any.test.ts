// Reading any text at all: properties, and texts that are meant to make the parser slow.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseTags, renderTag } from '../../../src/protocol/language/parse.js';
import type { Tag } from '../../../src/protocol/language/tag.js';
import { anyText } from '../../support/any-text.js';
import { tag as anyTag } from './arbitraries.js';

function tagsOf(text: string): readonly Tag[] {
  const parsed = parseTags(text);
  if (parsed.kind === 'problem') throw new Error(JSON.stringify(parsed.problem));
  return parsed.tags;
}

describe('any text', () => {
  const fragment = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        '<goto',
        '<fork',
        '<result',
        '<call',
        '>',
        '</goto>',
        '</fork>',
        '</result>',
        '</call>',
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(' a="', " b='", '"', "'", '=', ' next="C"', ' return="D"', '<', '\n', ' ', 'B', '/'),
    },
    { weight: 1, arbitrary: anyText({ maxLength: 8 }) },
  );
  const hostile = fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join(''));

  test('is read without an error, and the same each time', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, anyText()), (text) => {
        const parsed = parseTags(text);
        expect(parseTags(text)).toEqual(parsed);
        if (parsed.kind === 'problem') return;
        for (const tag of parsed.tags) {
          if (tag.kind === 'result') expect(tag.payload).toBe(tag.payload.trim());
          else if (tag.kind === 'ask' || tag.kind === 'await') expect(tag.next).not.toBe('');
          else if (tag.kind.endsWith('-workflow')) expect(tag.target).toBe(tag.target.trim());
          else expect(tag.target).toMatch(/^[^\s/\\]([^/\\]*[^\s/\\])?$/);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('a tag that was written is read back', () => {
    fc.assert(
      fc.property(anyTag, (tag) => {
        expect(tagsOf(renderTag(tag))).toEqual([tag]);
        expect(tagsOf(`so I think:\n\`\`\`\n${renderTag(tag)}\n\`\`\``)).toEqual([tag]);
      }),
      { numRuns: 1000 },
    );
  });

  test('tags that were written one after the other are read back in order', () => {
    fc.assert(
      fc.property(fc.array(anyTag, { maxLength: 5 }), (tags) => {
        expect(tagsOf(tags.map(renderTag).join('\n'))).toEqual(tags);
      }),
    );
  });

  test('a value with both quotes is written with single ones', () => {
    const text = renderTag({ kind: 'goto', target: 'B', input: `"it's"` });
    expect(tagsOf(text)).toEqual([{ kind: 'goto', target: 'B', input: `'it's'` }]);
  });
});

// With quadratic work these would take many minutes, so that the bound needs no precision.
describe('millions of hostile characters are read in linear time', () => {
  const fill = (piece: string, size = 4_000_000): string => piece.repeat(Math.ceil(size / piece.length));
  const closings = '</goto></result></fork>';
  test.each([
    ['openings in openings', fill('<goto <goto ', 10_000_000)],
    ['openings without closing tags', fill('<result>', 10_000_000)],
    ['openings that share one closing tag', `${fill('<result>')}</result>`],
    ['names that share one closing tag', `${fill('<goto>')}</goto>`],
    ['openings before much white space', `${'<result>'.repeat(200_000)}${' '.repeat(3_000_000)}</result>`],
    ['openings in quotes', `${fill('<goto a="<goto " ')}${closings}`],
    ['openings in both quotes', `${fill(`<goto a='<goto b=">"' `)}${closings}`],
    ['quotes that close in the next opening', `${fill('<goto a="> b=')}${closings}`],
    ['quotes that never close', `${fill('<goto a=')}"${closings}`],
    ['one name without end', `<fork ${fill('a')}${closings}`],
    ['one list of attributes', `<fork ${fill('a="1" b ')}>W</fork>`],
    ['equals signs', `<goto ${fill('=')}${closings}`],
    ['many forks with warnings', fill('<fork next="C" a-b="2" stray>W</fork>\n')],
  ])('%s', (_title, text) => {
    // Reading in the square of the length would take hours: the test's own time limit is the check.
    expect(['tags', 'problem']).toContain(parseTags(text).kind);
  });
});
