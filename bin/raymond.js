#!/usr/bin/env node
// Starts the command line with this process around it: its bundle, which loads in half the time of its modules.
import { main } from '../dist/program/raymond.js';

const { env, stdout, stderr } = process;
const code = await main(process.argv.slice(2), {
  cwd: process.cwd(),
  env,
  get stdin() {
    return process.stdin;
  },
  stdout,
  stderr,
  signals: process,
});
// Whatever is still open must not hold the process.
process.exit(code);
