#!/usr/bin/env node
// Starts the command line from the built package.
import { main } from '../dist/cli/index.js';

await main(process.argv.slice(2));
