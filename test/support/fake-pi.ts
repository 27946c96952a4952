// A fake `pi` for tests of runs: answers by the prompt's own text, keeps conversations as pi does. Prints the events of pi 0.74.2.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folder } from './folder.js';

const PROGRAM = `
import { mkdirSync, readFileSync, writeFileSync, appendFileSync } from 'node:fs';
const flag = (name) => process.argv[process.argv.indexOf(name) + 1];
const has = (name) => process.argv.includes(name);
const prompt = readFileSync(0, 'utf8').trim();
const print = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
const before = has('--fork') ? readFileSync(flag('--fork'), 'utf8').trim().split('\\n').slice(1) : [];
const said = before.length / 2;
const text = (/ANSWER:([^]*)$/.exec(prompt)?.[1] ?? '<result>done</result>').trim();
const usage = { input: 100, output: 50, cacheRead: 0, cacheWrite: 0, cost: { total: 0.25 } };
const message = { role: 'assistant', content: [{ type: 'text', text: text.replaceAll('SAID', said).replaceAll('TOOLS', flag('--tools')) }], model: 'm', usage, stopReason: 'stop' };
print({ type: 'session', version: 3, id: 'x', cwd: process.cwd() });
print({ type: 'message_end', message });
print({ type: 'agent_end', messages: [] });
const lines = [...before, JSON.stringify({ type: 'message', message: { role: 'user', content: prompt } }), JSON.stringify({ type: 'message', message })];
mkdirSync(flag('--session-dir'), { recursive: true });
writeFileSync(flag('--session-dir') + '/1_x.jsonl', [JSON.stringify({ type: 'session' }), ...lines].join('\\n') + '\\n');
`;

/** The environment of a host with it. */
export async function fakePi(): Promise<Readonly<Record<string, string>>> {
  const home = await folder();
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'pi.mjs'), PROGRAM);
  const shell = `#!/bin/sh\nexec '${process.execPath}' '${join(home, 'pi.mjs')}' "$@"\n`;
  await writeFile(join(home, 'bin/pi'), shell, { mode: 0o755 });
  return { PI_CODING_AGENT_DIR: join(home, 'agent'), PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}` };
}
