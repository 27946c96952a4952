// The transcript of the fake Claude: one JSONL file per session, where the real CLI keeps it and with the lines that matter.
// Must never write into the file of another session.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Refusal } from './flags.mjs';

/** Opens the session that the flags ask for: a new one, a fork of another, or (without fork) the resumed one itself. */
export function openTranscript(flags) {
  const parent = flags['--resume'] === undefined ? undefined : findParent(flags['--resume']);
  if (flags['--resume'] !== undefined && parent === undefined) return undefined;
  const forks = flags['--fork-session'] === true;
  const id = flags['--session-id'] ?? (parent !== undefined && !forks ? parent.id : randomUUID());
  const path = join(projects(), process.cwd().replace(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`);
  if (parent !== undefined && !forks) return new Transcript({ id, path: parent.path, lines: parent.lines });
  if (existsSync(path)) throw new Refusal(`Error: Session ID ${id} is already in use.`);
  const lines = (parent?.lines ?? []).map((line) => ({ ...line, sessionId: id }));
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
  return new Transcript({ id, path, lines });
}

function projects() {
  return join(process.env.CLAUDE_CONFIG_DIR ?? join(process.env.HOME ?? homedir(), '.claude'), 'projects');
}

function findParent(resume) {
  const path = resume.endsWith('.jsonl') ? (isAbsolute(resume) ? resume : resolve(resume)) : findById(resume);
  if (path === undefined || !existsSync(path)) return undefined;
  const lines = readFileSync(path, 'utf8').split('\n').flatMap(parsed);
  return { path, lines, id: lines.at(-1)?.sessionId ?? randomUUID() };
}

function findById(id) {
  if (!existsSync(projects())) return undefined;
  return readdirSync(projects())
    .map((folder) => join(projects(), folder, `${id}.jsonl`))
    .find((path) => existsSync(path));
}

/** A torn last line is dropped, as the real CLI drops it. */
function parsed(line) {
  try {
    return line === '' ? [] : [JSON.parse(line)];
  } catch {
    return [];
  }
}

class Transcript {
  constructor({ id, path, lines }) {
    this.id = id;
    this.path = path;
    this.lines = lines;
  }

  /** The dollars that the conversation had cost before this process. */
  get costBefore() {
    return this.lines.findLast(({ type }) => type === 'cost-state')?.totalCostUsd ?? 0;
  }

  say(role, text) {
    const content = role === 'user' ? text : [{ type: 'text', text }];
    this.append({ type: role, message: { role, content } });
  }

  spend(totalCostUsd) {
    this.append({ type: 'cost-state', totalCostUsd });
  }

  append(line) {
    const parentUuid = this.lines.at(-1)?.uuid ?? null;
    const whole = {
      ...line,
      uuid: randomUUID(),
      parentUuid,
      sessionId: this.id,
      cwd: process.cwd(),
      timestamp: new Date().toISOString(),
    };
    this.lines.push(whole);
    appendFileSync(this.path, `${JSON.stringify(whole)}\n`);
  }
}
