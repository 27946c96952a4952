// Rules about scripts: whether bash can run them, whether they end with a tag, how they fail.
import { executorOf } from '../../../protocol/language/resolve.js';
import { isComputed } from '../../mention.js';
import { TAG_NAMES } from '../../../protocol/language/tag-table.js';
import { COMPUTED } from '../../shell/words.js';
import { plainText, scriptsOf, searchableText, TAG, tagOnStderr, type ScriptState } from '../helpers.js';
import type { PositionedText, TracedText } from '../../position.js';
import { nearTagIn } from '../tags/near-tags.js';
import { onlyPrintIn, taglessProgram } from './tagless-programs.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function bashScripts(analysis: Analysis): readonly ScriptState[] {
  return scriptsOf(analysis).filter(({ file }) => executorOf(file) === 'bash');
}

function* syntax(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of scriptsOf(analysis)) {
    const wrongShell = source.faults.find(({ path }) => path[0] === '#!');
    if (wrongShell !== undefined) yield { at: wrongShell.at, state: file, message: wrongShell.text };
    else
      for (const { at, message } of analysis.syntax.get(file) ?? [])
        yield { at, state: file, message: `syntax error: ${message}` };
  }
}

/** A tag of which a part is known only at run time. */
const COMPUTED_TAG = new RegExp(`<[\\w-]*${COMPUTED}`);

const NO_TAG = 'the script prints no tag, so the agent fails in this state';
const PRINT_ONE = 'print one tag on stdout';

/** A script that fails on purpose, or that runs another script or program, needs no tag. */
const ENDS_OTHERWISE = /(?:^|[\s;&|({])(?:exit\s+(?:[1-9]|"?\$)|false\b|kill\b|exec\b|source\b|\.\s|return\b)/m;

/** How a program may print a tag that is not in its text: by an escape, another program, or a value from outside. */
const PRINTS_OTHERWISE =
  /<|\\x3c|\\u003c|\\074|\bchr\b|CharCode|open|read|env|argv|input|exec|spawn|process\.|\brun\b|system|require|fetch|url|import/i;

function* tagless(analysis: Analysis): Generator<FindingDetails> {
  const twice = [...openedTwice(analysis, true)];
  yield* twice;
  for (const state of scriptsOf(analysis)) {
    const { source, file, at, mentions } = state;
    if (!['python', 'node'].includes(executorOf(file))) continue;
    const why = taglessProgram(state);
    if (mentions.length > 0 && why === undefined) continue;
    const found = why && { ...why, at: source.raw.at(why.at) };
    const near =
      found ??
      (PRINTS.test(source.raw.text.replace(CAPTURES, '')) ? undefined : tagOnStderr(source)) ??
      mistypedIn(source.script.printed, source.raw);
    if (near === undefined && PRINTS_OTHERWISE.test(source.raw.text)) continue;
    yield { at, message: NO_TAG, fix: PRINT_ONE, ...near, severity: 'warning', state: file };
  }
  for (const state of bashScripts(analysis)) {
    const { source, file, at, mentions } = state;
    const { script, raw } = source;
    if (mentions.length > 0 || analysis.syntax.has(file)) continue;
    if (script.opaque) {
      const near = UNFINISHED.test(raw.text) ? mistypedTagIn(state) : undefined;
      if (near !== undefined) yield { ...near, severity: 'warning', state: file };
      continue;
    }
    if (script.printed.some(({ text }) => COMPUTED_TAG.test(text))) continue;
    const print = onlyPrintIn(state);
    const near = mistypedTagIn(state) ?? (print && { ...print, at: raw.at(print.at) });
    const mayEnd = ENDS_OTHERWISE.test(searchableText(state));
    if (mayEnd && (near === undefined || TAG.test(source.raw.text))) continue;
    yield {
      at,
      message: NO_TAG,
      fix: `${PRINT_ONE}, such as echo "<result>done</result>"`,
      ...near,
      ...(mayEnd ? { severity: 'warning' } : {}),
      state: file,
    };
  }
}

/** A closing tag that lacks its bracket. */
const UNFINISHED = new RegExp(`</(?:${TAG_NAMES.join('|')})(?![\\w-]*\\s*>)`);

/** A tag that is opened a second time where it ends. */
const OPENED_TWICE = new RegExp(`<(${TAG_NAMES.join('|')})\\b[^<>\\n]*>[^<>\\n]*<\\1>(?=["'\`]|$)`, 'm');

/** The scripts with a tag that is opened twice, beside other tags or, with `isOnly`, without. */
export function* openedTwice(analysis: Analysis, isOnly: boolean): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const { source, file, mentions } = state;
    const match = OPENED_TWICE.exec(plainText(state));
    if (match === null || analysis.syntax.has(file) || isOnly !== (mentions.length === 0)) continue;
    // Otherwise it is an error, which another rule reports.
    if (isOnly && !source.script.opaque) continue;
    const [, tag = ''] = match;
    const at = source.raw.at(match.index);
    yield {
      at,
      state: file,
      severity: 'warning',
      message: `<${tag}> is not closed by </${tag}>`,
      fix: `write </${tag}>`,
    };
  }
}

/** Calls that keep the output of another program. */
const CAPTURES =
  /\b(?:(?:subprocess\.)?check_output|exec(?:File)?(?:Sync)?|spawnSync)\b|\bsubprocess\.run\((?=[^\n]*capture_output[ \t]*=[ \t]*True)/g;

/** How a program prints on stdout, itself or by others. */
const PRINTS =
  /\bprint\s*\((?![^\n]*\bfile\s*=)|\bstdout\b|console\.(?!error|warn)|spawn|exec|subprocess\.|system|stdio|pty|\brun\s*\(|["']\.{1,2}\/|^\s*(?:from|import)\s+(?!os|sys|json|re|time|subprocess|datetime|pathlib|random|math|collections|typing|argparse|__future__)\w/m;

function mistypedIn(printed: readonly TracedText[], raw: PositionedText): Misprint | undefined {
  for (const text of printed) {
    const near = COMPUTED_TAG.test(text.text) ? undefined : nearTagIn(text.text);
    if (near !== undefined) return { at: raw.at(text.offsetOf(near.index)), message: near.message, fix: near.fix };
  }
  return undefined;
}

type Misprint = Pick<FindingDetails, 'at' | 'message' | 'fix'>;

/** A tag that was meant: misspelt, not closed, or printed where it is not read. */
function mistypedTagIn({ source }: ScriptState): Misprint | undefined {
  const { raw, script } = source;
  for (const { name, args, stdin, output } of script.commands) {
    if (!['echo', 'printf', 'cat'].includes(name)) continue;
    for (const word of [...args, ...stdin]) {
      const near = nearTagIn(word.text);
      if (near === undefined) continue;
      const { index, tag, message, fix } = near;
      const at = raw.at(word.offsetOf(index));
      if (output === undefined && word.text.includes(`</${tag}>`) && TAG_NAMES.includes(tag))
        return { at, message: 'this tag is never printed', fix: 'print it before the script ends' };
      if (output === undefined || !TAG_NAMES.includes(tag)) return { at, message, fix };
      return { at, message: `this tag goes to ${output}, not to stdout`, fix: 'print it on stdout' };
    }
  }
  return undefined;
}

function* unknownTargets(analysis: Analysis): Generator<FindingDetails> {
  for (const { file, at, mentions, hasUnknownTargets } of scriptsOf(analysis)) {
    if (!hasUnknownTargets || mentions.some(({ body }) => body !== undefined && !isComputed(body.value))) continue;
    const reason = mentions.length > 0 ? 'its target is known only at run time' : 'another program prints its tag';
    yield {
      at: mentions[0]?.at ?? at,
      state: file,
      message: `the next state of ${file} is unknown: ${reason}`,
    };
  }
}

function* notStrict(analysis: Analysis): Generator<FindingDetails> {
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
      message: 'the script continues after a failed command',
      fix: 'begin it with: set -euo pipefail',
    };
  }
}

function* retried(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const { retries = 0 } = state.source.settings;
    if (retries === 0 || /\bRAYMOND_(?:TURN_ID|ATTEMPT)\b/.test(searchableText(state))) continue;
    const header = state.source.raw.text.search(/^.*raymond:.*retries/m);
    yield {
      at: header < 0 ? state.at : state.source.raw.at(header),
      state: state.file,
      message: `the script is retried up to ${retries} times, but does not check whether an earlier attempt did its work`,
      fix: 'use RAYMOND_TURN_ID, which is the same for all attempts of a turn',
    };
  }
}

function* shebangs(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of bashScripts(analysis)) {
    const [, path = '', rest = ''] = /^#![ \t]*(\S+)([^\r\n]*)/.exec(source.raw.text) ?? [];
    const words = [...path.split('/').slice(-1), ...rest.split(/\s+/)].filter(
      (word) => word !== '' && word !== 'env' && word !== '-S',
    );
    const [shell, ...options] = words;
    if (shell === undefined || source.faults.length > 0) continue;
    const at = source.raw.at(0);
    const shellOptions = options.filter((option) => option.startsWith('-'));
    if (shellOptions.length > 0)
      yield {
        at,
        state: file,
        message: `${shellOptions.join(' ')} has no effect: bash runs a .sh state, whatever its first line says`,
        fix: `write: set ${shellOptions.join(' ')}`,
      };
    else if (!['bash', 'sh'].includes(shell))
      yield {
        at,
        state: file,
        message: `${shell} is not used: bash runs a .sh state`,
        fix: 'begin it with #!/bin/bash',
      };
  }
}

/** Rules about scripts. */
export const SCRIPT_RULES: readonly Rule[] = [
  {
    id: 'script-syntax',
    severity: 'error',
    summary: 'A script has a syntax error, or the first line of a .sh state names a program that is not a shell.',
    why: 'bash -n, python3 and node --check read scripts without running them. bash runs a .sh state, whatever its first line says.',
    check: syntax,
  },
  {
    id: 'script-without-tag',
    severity: 'error',
    summary: 'A script never prints a tag on stdout.',
    why: 'A script has no reminders: without exactly one tag on stdout its agent fails. The rule ignores scripts that pass on the output of other programs, or that fail on purpose.',
    check: tagless,
  },
  {
    id: 'script-state-no-static-analysis',
    severity: 'info',
    summary:
      'Lint cannot find out which state follows a script, because the script computes the name of the state or another program prints the tag.',
    why: 'Its target is computed, or another program prints the tag. States that only this script leads to look unreachable.',
    check: unknownTargets,
  },
  {
    id: 'script-not-strict',
    severity: 'info',
    summary: 'A bash script continues after a command that fails, because the script does not contain set -e.',
    why: 'Without set -e the script still prints its tag, and the run continues with unfinished work.',
    check: notStrict,
  },
  {
    id: 'retry-without-turn-id',
    severity: 'info',
    summary:
      'A script has the setting retries, but does not use RAYMOND_TURN_ID. This id is the same in all tries of a turn, so a script can use the id to see that an earlier try has already done the work.',
    why: 'RAYMOND_TURN_ID is the same for every try of a turn: use it as an idempotency key.',
    check: retried,
  },
  {
    id: 'shebang-ignored',
    severity: 'warning',
    summary:
      'The #! line of a .sh state names an option or another shell, but bash runs every .sh state and ignores that line.',
    why: 'bash runs a .sh state with the file as argument. Options in its first line have no effect, and another shell is not used.',
    check: shebangs,
  },
];
