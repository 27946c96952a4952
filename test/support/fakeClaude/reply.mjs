// What the fake Claude is to do this time: a directive in the prompt, else the first rule of the rules file that fits, else a plain answer.
// Must not do any of it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEYS = [
  'text',
  'costUsd',
  'isError',
  'terminalReason',
  'subtype',
  'errors',
  'apiErrorStatus',
  'assistantError',
  'rateLimit',
  'exitCode',
  'stderr',
  'noResult',
  'hang',
  'ignoreSigterm',
  'delayMs',
  'results',
  'raw',
  'rawBase64',
  'bigLine',
  'onlyTotalCost',
  'numTurns',
  'permissionDenials',
  'spawnDaemon',
  'closeStdoutAndLive',
  'touch',
  'write',
  'waitFor',
  'usage',
  'effects',
  'toolCalls',
];

/** Chooses the reply to a prompt. Throws when a directive or rule is not understood: a misspelt one must not pass. */
export function chooseReply(prompt, rulesFile) {
  const directive = /FAKE(\{[\s\S]*?\})EKAF/.exec(prompt)?.[1];
  if (directive !== undefined) return checked(JSON.parse(directive));
  const rules = rulesFile === undefined ? [] : JSON.parse(readFileSync(rulesFile, 'utf8'));
  const rule = rules.find(({ match, times }, index) => fits(match, prompt) && take({ rulesFile, index, times }));
  if (rule === undefined) return { text: 'fake answer' };
  return checked(Object.fromEntries(Object.entries(rule).filter(([key]) => key !== 'match' && key !== 'times')));
}

function fits(match, prompt) {
  return match === undefined || new RegExp(match).test(prompt.trim());
}

/** Uses a rule once; atomic between processes because only one of them can make a given folder. */
function take({ rulesFile, index, times }) {
  if (times === undefined) return true;
  const used = `${rulesFile}.used`;
  mkdirSync(used, { recursive: true });
  for (let use = 0; use < times; use += 1) {
    try {
      writeFileSync(join(used, `${index}-${use}`), String(process.pid), { flag: 'wx' });
      return true;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
  return false;
}

function checked(reply) {
  for (const part of [reply, ...(reply.results ?? [])]) {
    const unknown = Object.keys(part).find((key) => !KEYS.includes(key));
    if (unknown !== undefined)
      throw new Error(`fake claude: a reply knows no "${unknown}"; it knows ${KEYS.join(', ')}`);
  }
  return reply;
}
