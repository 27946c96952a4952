#!/usr/bin/env node
// Starts the command line from the built package.
import { main } from '../dist/cli.js';

await main(process.argv.slice(2));
