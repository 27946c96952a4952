// What a script may tell Raymond in its leading comments.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readScriptHeader } from '../../../src/protocol/language/state-file.js';
import { anyText } from '../../support/any-text.js';

const header = (settings: object, warnings: readonly object[] = []) => ({
  kind: 'header',
  settings,
  warnings,
  hints: [],
});

describe('the header of a script', () => {
  test.each<[string, string, string, object]>([
    ['none', 'A.sh', 'echo hi\n', {}],
    ['both keys', 'A.sh', '#!/bin/bash\n# raymond: retries=3 timeout=60s\n', { retries: 3, timeout: 60 }],
    ['two lines', 'A.sh', '# raymond: retries=0\n\n# Notes.\n#raymond:timeout = 1.5m\n', { retries: 0, timeout: 90 }],
    ['a byte order mark', 'A.sh', '\ufeff# raymond: timeout=0\n', { timeout: 0 }],
    ['PowerShell', 'A.ps1', '## raymond: timeout=2h\n', { timeout: 7200 }],
    ['Python', 'A.py', '#!/usr/bin/env python3\n# raymond: timeout=5\n"""Docs"""\n# raymond: x\n', { timeout: 5 }],
    ['JavaScript', 'A.js', '#!/usr/bin/env node\n// raymond: retries=1\n', { retries: 1 }],
    ['TypeScript', 'A.ts', '# raymond: retries=1\n', {}],
    ['REM', 'A.bat', '@echo off\r\nREM raymond: retries=1\r\n@rem raymond: timeout=5\r\n', { retries: 1, timeout: 5 }],
    ['two colons', 'A.bat', ':: raymond: retries=1\n', { retries: 1 }],
    ['comments of another language', 'A.bat', '# raymond: retries=1\n', {}],
    ['a name like it', 'A.sh', '# Raymond: runs the tests\n# raymonds: timeout=x\n', {}],
    ['a line behind the first command', 'A.sh', 'set -e\n# raymond: timeout=x\n', {}],
    ['a line far below', 'A.sh', `${'#\n'.repeat(20)}# raymond: timeout=x\n`, {}],
    ['a limit', 'A.sh', '# raymond: limit=db\n', { limits: ['db'] }],
    ['limits', 'A.sh', '# raymond: limit=db,repo:payments\n', { limits: ['db', 'repo:payments'] }],
    ['nothing said', 'A.sh', '# raymond:\n', {}],
  ])('with %s', (...[, file, text, settings]) => {
    expect(readScriptHeader(text, file)).toEqual(header(settings));
  });

  test.each([
    [
      'timeouts=5',
      'unknown word "timeouts=5" after "raymond:", did you mean timeout?; the keys are limit, retries, sandbox, timeout',
    ],
    ['colour', 'unknown word "colour" after "raymond:"; the keys are limit, retries, sandbox, timeout'],
  ])('with the strange word %s warns', (word, text) => {
    expect(readScriptHeader(`#\n# raymond: retries=1 ${word}\n`, 'A.sh')).toEqual(
      header({ retries: 1 }, [{ line: 2, text }]),
    );
  });

  test.each([
    ['timeout=soon', /^timeout: expected timeout=TIME .*, got "timeout=soon"$/],
    ['timeout=-1', /^timeout: expected/],
    ['timeout', /^timeout: expected/],
    ['retries=', /^retries: expected retries=NUMBER, such as retries=2, got "retries="$/],
    ['retries=1.5', /^retries: expected/],
    ['limit=a,,b', /^limit: expected limit=KEY/],
    ['timeout=1 timeout=2', /^timeout is repeated; remove one$/],
  ])('with %s is refused', (words, text) => {
    expect(readScriptHeader(`\n# raymond: ${words}\n`, 'A.sh')).toEqual({
      kind: 'invalid',
      problems: [{ line: 2, text: expect.stringMatching(text) }],
    });
  });
});

describe('a script that bash cannot run as it is', () => {
  test.each([
    ['#!/usr/bin/env python3\nimport os\n', 'python3'],
    ['#!/usr/bin/perl -w\n', 'perl'],
    ['#! /usr/bin/env -S FOO=1 node --no-warnings\n', 'node'],
    ['\ufeff#!/opt/my tools/fish\r\n', '/opt/my'],
    ['#!/usr/bin/fish', 'fish'],
  ])('is refused by its first line: %j', (text, program) => {
    expect(readScriptHeader(text, 'A.sh')).toEqual({
      kind: 'invalid',
      problems: [
        {
          line: 1,
          text: `the first line names ${program.replace(/.*\//, '')}, but a .sh state is run by bash; begin it with "#!/bin/bash" and call the program from there`,
          path: ['#!'],
        },
      ],
    });
  });

  test.each([
    ['#!/bin/bash\n', 'A.sh'],
    ['#!/usr/bin/env bash', 'A.sh'],
    ['#!/usr/bin/env -S sh -e\n', 'A.sh'],
    ['#!/bin/dash\n', 'A.sh'],
    ['#!/usr/bin/env pwsh\n', 'A.ps1'],
    ['#!\n', 'A.sh'],
    ['echo\n#!/usr/bin/perl\n', 'A.sh'],
  ])('is not one that begins with %j (%s)', (text, file) => {
    expect(readScriptHeader(text, file)).toEqual(header({}));
  });

  test('for its line ends is pointed out with the first of them', () => {
    const hints = [
      {
        line: 2,
        text: 'the line ends with CR LF, and bash reads the CR as part of the command; save the file with LF',
      },
    ];
    expect(readScriptHeader('#!/bin/bash\nif true; then\r\n:\r\nfi\r\n', 'A.sh')).toEqual({ ...header({}), hints });
    expect(readScriptHeader('@echo off\r\n', 'A.bat')).toEqual(header({}));
  });
});

test('whatever a script begins with, its header is understood or has mistakes of its own lines, in short words', () => {
  const piece = fc.constantFrom(
    '# raymond:',
    ':: raymond: ',
    'rem ',
    '#',
    ' ',
    'retries',
    'timeout',
    '=',
    '3',
    '9s',
    '-',
    '\0',
  );
  const line = fc.array(fc.oneof(piece, anyText()), { maxLength: 8 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom('A.sh', 'A.bat', 'A.ps1'), (lines, file) => {
      const read = readScriptHeader(lines.join('\n'), file);
      const notes = read.kind === 'invalid' ? read.problems : read.warnings;
      for (const note of notes) {
        expect(note.line).toBeGreaterThan(0);
        expect(note.line).toBeLessThanOrEqual(20);
        expect(note.text.length).toBeLessThan(250);
      }
      if (read.kind === 'header') {
        for (const value of Object.values(read.settings)) expect(Number.isFinite(value)).toBe(true);
      }
    }),
  );
});
