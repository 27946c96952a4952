// Rules about scripts: whether bash can run them, whether they end with a tag, how they fail.
import { executorOf } from '../../protocol/language/resolve.js';
import { isComputed } from '../mention.js';
import { COMPUTED } from '../shell-words.js';
import { scriptsOf, wordsOf, type ScriptState } from './helpers.js';
import type { Analysis, Found, Rule } from './rule.js';

function bashScripts(analysis: Analysis): readonly ScriptState[] {
  return scriptsOf(analysis).filter(({ file }) => executorOf(file) === 'bash');
}

function* syntax(analysis: Analysis): Generator<Found> {
  for (const { source, file } of bashScripts(analysis)) {
    const foreign = source.faults.find(({ path }) => path[0] === '#!');
    if (foreign !== undefined) yield { at: foreign.at, state: file, message: foreign.text };
    else
      for (const { at, message } of analysis.syntax.get(file) ?? [])
        yield { at, state: file, message: `bash cannot read it: ${message}` };
  }
}

/** A script that ends by failing, or that another program takes over, needs no tag. */
const ENDS_OTHERWISE = /(?:^|[\s;&|({])(?:exit\s+(?:[1-9]|"?\$)|false\b|kill\b|exec\b|source\b|\.\s|return\b)/m;

function* tagless(analysis: Analysis): Generator<Found> {
  for (const state of bashScripts(analysis)) {
    const { source, file, at, mentions } = state;
    const { script } = source;
    if (mentions.length > 0 || script.opaque || analysis.syntax.has(file)) continue;
    if (script.printed.some(({ text }) => new RegExp(`<[\\w-]*${COMPUTED}`).test(text))) continue;
    if (ENDS_OTHERWISE.test(wordsOf(state))) continue;
    yield {
      at,
      state: file,
      message: 'the script prints no tag, so its turn is a mistake',
      fix: 'print one on stdout, such as echo "<result>done</result>"',
    };
  }
}

function* opaque(analysis: Analysis): Generator<Found> {
  for (const { file, at, mentions, open } of scriptsOf(analysis)) {
    if (!open || mentions.some(({ body }) => body !== undefined && !isComputed(body.value))) continue;
    const why = mentions.length > 0 ? 'its target is only known when it runs' : 'another program prints its tag';
    yield {
      at: mentions[0]?.at ?? at,
      state: file,
      message: `what follows ${file} is not known: ${why}`,
    };
  }
}

function* lax(analysis: Analysis): Generator<Found> {
  for (const { source, file, at } of bashScripts(analysis)) {
    const { commands } = source.script;
    const strict = commands.some(
      ({ name, args }) => name === 'set' && args.some(({ text }) => /^-\w*e/.test(text) || text === 'errexit'),
    );
    const others = commands.filter(
      ({ name }) => !['echo', 'printf', 'cat', ':', 'exit', 'fi', 'done', 'esac'].includes(name),
    );
    if (strict || others.length === 0) continue;
    yield {
      at,
      state: file,
      message: 'the script goes on after a command that failed',
      fix: 'begin it with: set -euo pipefail',
    };
  }
}

function* retried(analysis: Analysis): Generator<Found> {
  for (const state of scriptsOf(analysis)) {
    const { retries = 0 } = state.source.settings;
    if (retries === 0 || /\bRAYMOND_(?:TURN_ID|ATTEMPT)\b/.test(wordsOf(state))) continue;
    const header = state.source.raw.text.search(/^.*raymond:.*retries/m);
    yield {
      at: header < 0 ? state.at : state.source.raw.at(header),
      state: state.file,
      message: `the script is tried again up to ${retries} times, and does not look whether it has done its work before`,
      fix: 'use RAYMOND_TURN_ID, which is the same for all tries of a turn',
    };
  }
}

function* shebangs(analysis: Analysis): Generator<Found> {
  for (const { source, file } of bashScripts(analysis)) {
    const [, path = '', rest = ''] = /^#![ \t]*(\S+)([^\r\n]*)/.exec(source.raw.text) ?? [];
    const words = [...path.split('/').slice(-1), ...rest.split(/\s+/)].filter(
      (word) => word !== '' && word !== 'env' && word !== '-S',
    );
    const [shell, ...options] = words;
    if (shell === undefined || source.faults.length > 0) continue;
    const at = source.raw.at(0);
    const given = options.filter((option) => option.startsWith('-'));
    if (given.length > 0)
      yield {
        at,
        state: file,
        message: `${given.join(' ')} has no effect: a .sh state is run by bash, whatever its first line says`,
        fix: `write: set ${given.join(' ')}`,
      };
    else if (!['bash', 'sh'].includes(shell))
      yield {
        at,
        state: file,
        message: `${shell} is not used: a .sh state is run by bash`,
        fix: 'begin it with #!/bin/bash',
      };
  }
}

/** Whether scripts run, and how they end. */
export const SCRIPT_RULES: readonly Rule[] = [
  {
    id: 'script-syntax',
    severity: 'error',
    says: 'bash cannot read a script.',
    why: 'It is read with bash -n, which runs nothing. A .sh state is run by bash, whatever its first line says.',
    check: syntax,
  },
  {
    id: 'script-without-tag',
    severity: 'error',
    says: 'A script prints no tag, whatever happens in it.',
    why: 'A script has no reminders: without exactly one tag on stdout its agent fails. Nothing is said of scripts that run other programs whose output they pass on, or that fail on purpose.',
    check: tagless,
  },
  {
    id: 'script-state-no-static-analysis',
    severity: 'info',
    says: 'The text of a script does not tell what follows it.',
    why: 'Its target is computed, or another program prints the tag. States that only it leads to cannot be seen.',
    check: opaque,
  },
  {
    id: 'script-not-strict',
    severity: 'info',
    says: 'A script goes on after a command that failed.',
    why: 'Without set -e the tag at its end is printed all the same, and the run goes on with work that was not done.',
    check: lax,
  },
  {
    id: 'retry-without-turn-id',
    severity: 'info',
    says: 'A script is tried again and does not know it.',
    why: 'RAYMOND_TURN_ID is the same for every try of a turn: a name for what must happen only once.',
    check: retried,
  },
  {
    id: 'shebang-ignored',
    severity: 'warning',
    says: 'The first line of a script asks for what it does not get.',
    why: 'A .sh state is run by bash with its file as argument. Options in its first line have no effect, and another shell is not used.',
    check: shebangs,
  },
];
