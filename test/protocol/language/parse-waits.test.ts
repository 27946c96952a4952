// Reading the tags that wait or lead into other workflows.
import { describe, expect, test } from '@jest/globals';
import { parseTags } from '../../../src/protocol/language/parse.js';
import type { Tag } from '../../../src/protocol/language/tag.js';

describe('questions, waits and other workflows', () => {
  test.each<[string, Tag]>([
    ['<goto delay="5m">A</goto>', { kind: 'goto', target: 'A', delay: '5m' }],
    ['<reset delay=".5h" task="new">A</reset>', { kind: 'reset', target: 'A', delay: '.5h', task: 'new' }],
    ['<await next="A"></await>', { kind: 'await', next: 'A' }],
    ['<await next="A">', { kind: 'await', next: 'A' }],
    ['<await next="A"/>', { kind: 'await', next: 'A' }],
    [
      '<await next="A" timeout="2h" timeout_next=" B "/>',
      { kind: 'await', next: 'A', timeout: '2h', timeout_next: 'B' },
    ],
    ['<await next="A" />and more', { kind: 'await', next: 'A' }],
    ['<ask next="A"> Which one? </ask>', { kind: 'ask', prompt: 'Which one?', next: 'A' }],
    [
      '<ask next="A" timeout="48h" timeout_next="B" upload_slots="r:application/pdf" display_files="a/b.md:B">?</ask>',
      {
        kind: 'ask',
        prompt: '?',
        next: 'A',
        timeout: '48h',
        timeout_next: 'B',
        upload_slots: 'r:application/pdf',
        display_files: 'a/b.md:B',
      },
    ],
    [
      '<call-workflow return="A" input="x">../other/</call-workflow>',
      { kind: 'call-workflow', target: '../other/', return: 'A', input: 'x' },
    ],
    [
      '<function-workflow return="A" cd="sub">x.zip/START</function-workflow>',
      { kind: 'function-workflow', target: 'x.zip/START', return: 'A', cd: 'sub' },
    ],
    [
      '<fork-workflow next="A" task="inherit">flow.yaml</fork-workflow>',
      { kind: 'fork-workflow', target: 'flow.yaml', next: 'A', task: 'inherit' },
    ],
    ['<reset task="inherit">A</reset>', { kind: 'reset', target: 'A' }],
    ['<reset-workflow task="new">..\\x</reset-workflow>', { kind: 'reset-workflow', target: '..\\x', task: 'new' }],
  ])('%s', (text, tag) => {
    expect(parseTags(text)).toEqual({ kind: 'tags', tags: [tag], warnings: [] });
  });

  test.each<[string, object]>([
    ['<await></await>', { kind: 'missing-attribute', tag: 'await', attribute: 'next' }],
    ['<ask>?</ask>', { kind: 'missing-attribute', tag: 'ask', attribute: 'next' }],
    ['<ask next="A"> </ask>', { kind: 'empty-target', tag: 'ask' }],
    ['<ask next="a/B">?</ask>', { kind: 'path-in-target', tag: 'ask' }],
    ['<ask next="A" timeout="soon">?</ask>', { kind: 'bad-attribute', attribute: 'timeout', value: 'soon' }],
    ['<ask next="A" timeout_next="B">?</ask>', { kind: 'bad-attribute', attribute: 'timeout_next' }],
    ['<ask next="A" upload_slots="../x">?</ask>', { kind: 'bad-attribute', attribute: 'upload_slots' }],
    ['<ask next="A" choices="yes,yes">?</ask>', { kind: 'bad-attribute', attribute: 'choices' }],
    ['<ask next="A" choices=" , ">?</ask>', { kind: 'bad-attribute', attribute: 'choices' }],
    ['<ask next="A" display_files="/etc/passwd">?</ask>', { kind: 'bad-attribute', attribute: 'display_files' }],
    ['<goto delay="-5m">A</goto>', { kind: 'bad-attribute', attribute: 'delay' }],
    ['<reset task="keep">A</reset>', { kind: 'bad-attribute', attribute: 'task', expected: '"new"' }],
    ['<fork-workflow task="x" next="A">../o</fork-workflow>', { kind: 'bad-attribute', attribute: 'task' }],
    ['<call-workflow>../o</call-workflow>', { kind: 'missing-attribute', attribute: 'return' }],
    ['<reset-workflow> </reset-workflow>', { kind: 'empty-target', tag: 'reset-workflow' }],
  ])('%s is a mistake', (text, problem) => {
    expect(parseTags(text)).toMatchObject({ kind: 'problem', problem });
  });

  test('cd on <call-workflow> is ignored with a warning', () => {
    const read = parseTags('<call-workflow return="A" cd="x">../o</call-workflow>');
    expect(read).toMatchObject({
      tags: [{ kind: 'call-workflow' }],
      warnings: [expect.stringContaining('attribute cd')],
    });
  });
});
