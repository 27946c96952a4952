// What states noted of themselves, outside of Raymond: who began, who ended, what was charged. And what must be true of it (I1, I2).
// Must not look at the run; books.ts compares the two.
import { readFile } from 'node:fs/promises';

/** A line that an attempt wrote. B begins, E ended, O met another living attempt of its turn, C is about to charge, P has charged. */
export interface Effect {
  readonly kind: 'B' | 'E' | 'O' | 'C' | 'P';
  readonly agent: string;
  readonly turn: number;
  readonly attempt: string;
  readonly state: string;
  readonly pid: number;
  readonly at: number;
  readonly usd: number;
}

/** All that was noted, of one run or of all, in its order. */
export async function effectsIn(file: string, runId?: string): Promise<readonly Effect[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '' && (runId === undefined || line.split(' ')[1]?.split('/')[0] === runId))
    .map(effectOf);
}

function effectOf(line: string): Effect {
  const [kind, turnId = '', attempt = '', state = '', pid, at, usd] = line.split(' ');
  const [, agent = '', turn] = turnId.split('/');
  return {
    kind: kind as Effect['kind'],
    agent,
    turn: Number(turn),
    attempt,
    state,
    pid: Number(pid),
    at: Number(at),
    usd: Number(usd),
  };
}

/** The state of every turn by its id: the same for every run of a program, whatever befalls it. */
export function turnsOf(effects: readonly Effect[]): Readonly<Record<string, string>> {
  const begun = effects.filter(({ kind }) => kind === 'B').map((e) => [`${e.agent}/${e.turn}`, e.state] as const);
  return Object.fromEntries(begun.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** How many attempts there were beyond the first of each turn. */
export function repeated(effects: readonly Effect[]): number {
  return effects.filter(({ kind }) => kind === 'B').length - Object.keys(turnsOf(effects)).length;
}

/** What is wrong with the order of things; nothing, when I1 and I2 hold. */
export function disorder(effects: readonly Effect[]): readonly string[] {
  const agents = new Set(effects.map(({ agent }) => agent));
  return [...agents].flatMap((agent) => {
    const own = effects.filter((effect) => effect.agent === agent);
    return [...repeatedAfterNext(own), ...unfinished(own), ...overlaps(own)];
  });
}

/** I1: a turn that was recorded, as the next one shows, begins again. */
function repeatedAfterNext(own: readonly Effect[]): readonly string[] {
  let latest = 0;
  return own.flatMap(({ kind, agent, turn, state }) => {
    latest = Math.max(latest, turn);
    return kind === 'B' && turn < latest ? [`${agent}/${turn} (${state}) began again after turn ${latest}`] : [];
  });
}

/** I1: a turn that was recorded has never ended. */
function unfinished(own: readonly Effect[]): readonly string[] {
  const turns = new Set(own.map(({ turn }) => turn));
  const ended = new Set(own.filter(({ kind }) => 'EPC'.includes(kind)).map(({ turn }) => turn));
  return [...turns]
    .filter((turn) => !ended.has(turn))
    .map((turn) => `${own[0]?.agent}/${turn} was recorded but never ended`);
}

/** I2: something of an attempt after the begin of a later attempt of its turn. */
function overlaps(own: readonly Effect[]): readonly string[] {
  const latest = new Map<number, string>();
  const closed = new Set<string>();
  return own.flatMap(({ kind, agent, turn, attempt, state }) => {
    const where = `${agent}/${turn} (${state})`;
    if (kind === 'O') return [`${where}: attempt ${attempt} met a living one`];
    const before = latest.get(turn);
    if (before !== undefined && before !== attempt) closed.add(before);
    if (!closed.has(attempt)) latest.set(turn, attempt);
    return closed.has(attempt) ? [`${where}: attempt ${attempt} did ${kind} after the begin of ${before}`] : [];
  });
}

/** What was charged: surely, when the line was printed and noted; at most, when the process was killed in between. */
export function charged(effects: readonly Effect[]): { readonly surely: number; readonly atMost: number } {
  const sum = (kind: Effect['kind']): number =>
    effects.filter((effect) => effect.kind === kind).reduce((usd, effect) => usd + effect.usd, 0);
  return { surely: sum('P'), atMost: sum('C') };
}
