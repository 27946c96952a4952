// A fake `claude` for tests: understands the flags that Raymond uses, keeps transcripts, prints the real CLI's events, and misbehaves on demand.
// Settings come by environment: FAKE_CLAUDE_LOG (one JSON line per call), FAKE_CLAUDE_RULES (see reply.mjs). Imports node: only, starts fast.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { notesIn } from './effects.mjs';
import { eventsOf } from './events.mjs';
import { parseFlags, Refusal } from './flags.mjs';
import { chooseReply } from './reply.mjs';
import { openTranscript } from './transcript.mjs';

const FOREVER = 2 ** 30;

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${error instanceof Refusal ? error.message : error.stack}\n`);
  process.exit(error instanceof Refusal ? 1 : 70);
});

async function main(argv) {
  if (argv.includes('--version')) return print('2.1.329 (Claude Code)\n');
  const prompt = readPrompt(argv);
  log(argv, prompt);
  const { flags, words } = parseFlags(argv);
  const whole = [...words, ...(prompt === '' ? [] : [prompt])].join('\n');
  if (whole.trim() === '')
    throw new Refusal('Error: Input must be provided either through stdin or as a prompt argument when using --print');
  const session = openTranscript(flags);
  if (session === undefined) return await notFound(flags);
  session.say('user', whole);
  const reply = isCommand(whole)
    ? { text: '', numTurns: 0, costUsd: 0 }
    : chooseReply(whole, process.env.FAKE_CLAUDE_RULES);
  return await perform({
    reply,
    session,
    events: eventsOf({ sessionId: session.id, flags, total: session.costBefore }),
  });
}

function readPrompt(argv) {
  return argv.includes('--version') ? '' : readFileSync(0, 'utf8');
}

/** A prompt whose first character is a slash is a command to the real CLI, not words to the model. */
function isCommand(prompt) {
  return /^\/\w/.test(prompt);
}

function log(argv, prompt) {
  if (process.env.FAKE_CLAUDE_LOG === undefined) return;
  const names = Object.keys(process.env).filter((name) => !name.startsWith('FAKE_CLAUDE_'));
  const env = Object.fromEntries(
    names
      .filter((name) => /^(RAYMOND_|OTEL_|TRACEPARENT$|CLAUDE_CODE_OAUTH_TOKEN$)/.test(name))
      .map((name) => [name, process.env[name]]),
  );
  const call = { argv, prompt, env, envNames: names.sort(), cwd: process.cwd(), pid: process.pid, at: Date.now() };
  appendFileSync(process.env.FAKE_CLAUDE_LOG, `${JSON.stringify(call)}\n`);
}

async function notFound(flags) {
  const message = `No conversation found with session ID: ${flags['--resume']}`;
  const events = eventsOf({ sessionId: flags['--session-id'], flags, total: 0 });
  process.stderr.write(`${message}\n`);
  await emit(events.result({ isError: true, subtype: 'error_during_execution', numTurns: 0, costUsd: 0 }, message));
  process.exit(1);
}

async function perform({ reply, session, events }) {
  const notes = notesIn(reply.effects);
  notes.begin();
  listen(reply, events);
  if (reply.touch !== undefined) appendFileSync(reply.touch, `${process.pid}\n`);
  if (reply.write !== undefined) writeFileSync(reply.write.path, reply.write.text);
  if (reply.spawnDaemon !== undefined) spawnDaemon(reply.spawnDaemon);
  await emit(events.init());
  if (reply.stderr !== undefined) process.stderr.write(reply.stderr);
  if (reply.hang === 'before') await delay(FOREVER);
  await emit(...events.messageStart(reply));
  if (reply.hang === 'mid') await delay(FOREVER);
  if (reply.waitFor !== undefined) while (!existsSync(reply.waitFor)) await delay(10);
  if (reply.delayMs !== undefined) await delay(reply.delayMs);
  await extras(reply, events);
  for (const call of reply.toolCalls ?? []) await callTool(call, { session, events });
  for (const part of reply.results ?? [reply])
    await oneAnswer({ reply: part, silent: reply.noResult === true, session, events, notes });
  notes.end();
  if (reply.hang === 'after') await delay(FOREVER);
  if (reply.hang === 'busy') await toil(events);
  if (reply.closeStdoutAndLive === true) await closeOutputAndLive();
  process.exit(reply.exitCode ?? (reply.noResult === true || reply.isError === true ? 1 : 0));
}

/** Another tool result every while, as of a process that has not noticed that it is done. */
async function toil(events) {
  for (;;) {
    await emit(events.big(1));
    await delay(200);
  }
}

/** What the agent says before a call, the call, and its result. */
async function callTool({ says, name, input, result, isError = false }, { session, events }) {
  const id = `toolu_${randomUUID()}`;
  const content = [
    ...(says === undefined ? [] : [{ type: 'text', text: says }]),
    { type: 'tool_use', id, name, input },
  ];
  const answer = [{ type: 'tool_result', tool_use_id: id, content: result, is_error: isError }];
  for (const [type, blocks] of [
    ['assistant', content],
    ['user', answer],
  ]) {
    session.append({ type, message: { role: type, content: blocks } });
    await emit(events.message(type, blocks));
  }
}

async function extras(reply, events) {
  if (reply.raw !== undefined) await print(reply.raw);
  if (reply.rawBase64 !== undefined) await print(Buffer.from(reply.rawBase64, 'base64'));
  if (reply.bigLine !== undefined) await emit(events.big(reply.bigLine));
  if (reply.rateLimit !== undefined) await emit(events.rateLimit(reply.rateLimit));
  for (const denial of reply.permissionDenials ?? []) await emit(events.denied(denial));
}

async function oneAnswer({ reply, silent, session, events, notes }) {
  const text = reply.text ?? 'fake answer';
  if (reply.numTurns !== 0) await emit(...events.answer(reply, text));
  if (silent) return;
  // The transcript of a failed turn ends with its prompt: the real CLI does not record an answer that it made up itself.
  if (reply.isError !== true) session.say('assistant', text);
  notes.charging(reply.costUsd);
  await emit(events.result(reply, text));
  notes.charged(reply.costUsd);
  session.spend(events.cost());
}

/** SIGTERM: exit code 143 without a result. SIGINT: exit code 0 with one that says aborted. Both as measured. */
function listen(reply, events) {
  process.on('SIGTERM', () => {
    if (reply.ignoreSigterm !== true) process.exit(143);
  });
  process.on('SIGINT', () => {
    const aborted = {
      isError: true,
      subtype: 'error_during_execution',
      terminalReason: 'aborted_streaming',
      costUsd: 0,
    };
    void emit(events.result(aborted, 'aborted')).then(() => process.exit(0));
  });
}

/** A process in a session of its own that outlives this one, as `setsid nohup x &` in a tool does. */
function spawnDaemon(options) {
  const { pidFile, holdOutput } = options === true ? {} : options;
  const child = spawn('sleep', ['300'], {
    detached: true,
    stdio: holdOutput === true ? ['ignore', 'inherit', 'inherit'] : 'ignore',
  });
  child.unref();
  if (pidFile !== undefined) writeFileSync(pidFile, String(child.pid));
}

async function closeOutputAndLive() {
  for (const stream of [1, 2]) {
    closeSync(stream);
    openSync('/dev/null', 'w'); // keeps the number taken, so that no later file becomes stdout
  }
  await delay(FOREVER);
}

async function emit(...events) {
  for (const event of events) await print(`${JSON.stringify(event)}\n`);
}

function print(data) {
  return new Promise((resolve) => process.stdout.write(data, () => resolve()));
}
