#!/usr/bin/env node
// The scripted model as a process of its own:  node modelApiMain.mjs --rules rules.json --log requests.jsonl [--port 0] [--host 127.0.0.1]
// Prints one line {"url","pid"} once it listens; appends one line per request to the log; ends on SIGTERM.
import { appendFileSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { script } from './modelApiRules.mjs';
import { startModelServer } from './modelApiServer.mjs';

const { values } = parseArgs({
  options: {
    rules: { type: 'string' },
    log: { type: 'string' },
    port: { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
  },
});
if (values.rules === undefined || values.log === undefined)
  throw new Error('modelApiMain needs --rules FILE and --log FILE');

const scripted = script(JSON.parse(readFileSync(values.rules, 'utf8')));

const server = await startModelServer({
  port: Number(values.port),
  host: values.host,
  reply: (request) => {
    const before = scripted.mismatches.length;
    const reply = scripted(request);
    const { conversation, sessionId, model } = request;
    const mismatch = scripted.mismatches.length > before;
    appendFileSync(
      values.log,
      `${JSON.stringify({ at: Date.now(), sessionId, model, conversation, reply, mismatch })}\n`,
    );
    return reply;
  },
});
console.log(JSON.stringify({ url: server.url, pid: process.pid }));
process.once('SIGTERM', () => void server.close());
