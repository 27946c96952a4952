// The program of commands, for tests that read its tables: commands, flags and help. Nothing of it is called.
import { PassThrough } from 'node:stream';
import { openIo } from '../../src/cli/io.js';
import { build } from '../../src/cli/program/index.js';

const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const io = openIo({ cwd: '/', env: {}, ...streams });

/** Every command with its flags, as `raymond --help` shows them. */
export const program = build({ io, finish: () => undefined, version: '0' });
