// What the command line says of itself: `raymond` alone, and the help of every command.
import { expect, test } from '@jest/globals';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { openIo } from '../../src/cli/io.js';
import { build } from '../../src/cli/program/index.js';
import { Place } from '../support/cli.js';

function commandsBelow(command: Command, above = ''): readonly string[] {
  return command.commands.flatMap((below) => {
    const name = `${above}${below.name()}`;
    return [name, ...commandsBelow(below, `${name} `)];
  });
}

const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const io = openIo({ cwd: '/', env: {}, ...streams });
const names = commandsBelow(build({ io, finish: () => undefined, version: '0' })).filter(
  (name) => !name.startsWith('_'),
);

test('raymond alone prints the help', async () => {
  const place = await Place.at();
  const alone = await place.raymond([]);
  expect(alone).toEqual(await place.raymond(['--help']));
  expect(alone).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('Usage: raymond') });
});

test.each(names)('the help of "%s" ends with examples of it', async (name) => {
  const place = await Place.at();
  const { stdout, exitCode } = await place.raymond([...name.split(' '), '--help']);
  expect(exitCode).toBe(0);
  const [, examples = ''] = stdout.split('\nExamples:\n');
  const lines = examples.split('\n');
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.every((line) => line.startsWith('  ') && line.includes(`raymond `))).toBe(true);
  expect(examples).toContain(`raymond ${name}`);
});
