#!/usr/bin/env node
// Starts the command line from the built package, with this process around it.
import { main } from '../dist/cli/index.js';

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
