// Rules about the syntax of attributes: missing quotes, values that cannot be quoted, repeated names.
import { quotingOf } from '../../../protocol/language/problem.js';
import { clip } from '../../../protocol/text.js';
import type { StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import { getsAgents } from '../agents/agent-lists.js';
import { computedParts, mentionsOf, scriptsOf, type ScriptState } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { allGiversOf } from '../values/result-rules.js';
import { enclosedQuotes } from './attribute-texts.js';
import { isShellJson, isTestedFile, shellTextWith } from './shell-texts.js';

/** A computed attribute may contain its own quotes, so it is not reported. */
function* malformed(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention } of mentionsOf(analysis)) {
    if (mention.malformed === undefined || isComputed(mention.malformed.value)) continue;
    // The code of another program, with quotes of its own.
    if (mention.isCertain === false && /[{}]/.test(mention.malformed.value)) continue;
    const { value, at: written } = mention.malformed;
    // A value may come from another line; the tag is here.
    const at = written.line < mention.at.line ? mention.at : written;
    const message = `cannot read the attribute ${clip(value, 60)} of <${mention.tag}>`;
    yield { at, state: state.file, message, mention, fix: quotingOf(clip(value, 60)) };
  }
}

function* repeated(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention } of mentionsOf(analysis))
    for (const name of mention.repeated)
      yield {
        at: mention.attributes.get(name)?.at ?? mention.at,
        state: state.file,
        message: `<${mention.tag}> has the attribute ${name} more than once; only the last value is used`,
        fix: 'remove the others',
      };
}

function* unquotable(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention } of mentionsOf(analysis))
    for (const { value, valueAt } of mention.source === 'policy' ? mention.attributes.values() : [])
      if (value.includes('"') && value.includes("'"))
        yield {
          at: valueAt,
          state: state.file,
          message:
            'this value has both kinds of quotes, which an attribute cannot contain: its double quotes become single quotes',
          fix: 'use one kind of quotes',
        };
  for (const state of scriptsOf(analysis)) {
    const seen = new Set<number>();
    for (const finding of [...computedQuotes(analysis, state), ...followedQuotes(analysis, state)]) {
      if (seen.has(finding.at.line)) continue;
      seen.add(finding.at.line);
      yield finding;
    }
  }
}

const JSON_IN_QUOTES = {
  message: 'JSON contains double quotes, and the first one ends this attribute',
  fix: 'write the JSON to a file, and pass its path',
};

function ownText(text: string, { name }: typeof DOUBLE | typeof SINGLE): Pick<FindingDetails, 'message' | 'fix'> {
  return {
    message:
      text === ''
        ? `the script puts ${name} into this value, which ends this attribute`
        : `one of the values is ${clip(text, 60)}, with ${name}, which ends this attribute`,
    fix: 'enclose the attribute in the other kind of quotes, or remove the quotes from the value',
  };
}

/** True for a state whose value is JSON with double quotes: the list of an await, or a result whose schema requires an object. */
function getsJson(analysis: Analysis, state: ScriptState): boolean {
  if (getsAgents(analysis, state)) return true;
  const givers = allGiversOf(analysis, state.file) ?? [];
  const isObject = ({ source }: StateNode): boolean =>
    source.kind === 'prompt' && source.prompt.resultSchema?.['type'] === 'object';
  return givers.length > 0 && givers.every(isObject);
}

/** Values that names, functions and lists of a program lead to. */
function* followedQuotes(analysis: Analysis, state: ScriptState): Generator<FindingDetails> {
  const { source, file } = state;
  const isJson = (name: string): boolean => /^RAYMOND_(?:INPUT|RESULT)$/.test(name) && getsJson(analysis, state);
  for (const { at, text, quote } of enclosedQuotes(state, isJson)) {
    const kind = quote === '"' ? DOUBLE : SINGLE;
    yield { at: source.raw.at(at), state: file, ...(text === undefined ? JSON_IN_QUOTES : ownText(text, kind)) };
  }
}

function* computedQuotes(analysis: Analysis, state: ScriptState): Generator<FindingDetails> {
  const { source, file } = state;
  const { text } = source.raw;
  const { shell } = source.script;
  for (const { offset, inAttribute, inDoubleQuotes } of computedParts(source.script)) {
    if (!inAttribute) continue;
    const origin = shell?.origins.get(offset) ?? offset;
    const quote = inDoubleQuotes ? DOUBLE : SINGLE;
    const [, passed] = PENDING.exec(text.slice(origin)) ?? [];
    const given = shell === undefined ? undefined : shellTextWith(text, { offset, quote: quote.mark });
    const at = source.raw.at(offset);
    const isMade = isJson(text, offset) || (shell !== undefined && isShellJson(text, offset));
    if (inDoubleQuotes && (isMade || (passed !== undefined && getsJson(analysis, state))))
      yield { at, state: file, ...JSON_IN_QUOTES };
    else if (given !== undefined) yield { at, state: file, ...ownText(given, quote) };
    else if (passed !== undefined)
      yield {
        at,
        state: file,
        severity: 'info',
        message: `$${passed} may contain ${quote.name}, which ends this attribute`,
        fix: `pass it in a file, or remove the quotes: \${${passed}//\\${quote.mark}/}`,
      };
    else if (
      WHOLE_TEXT.test(text.slice(origin, origin + 160)) &&
      !isWord(text, offset, origin) &&
      !isTestedFile(analysis, { read: text.slice(origin, origin + 200), mark: quote.mark })
    )
      yield {
        at,
        state: file,
        message: `text from a file or a program may contain ${quote.name}, which ends this attribute`,
        fix: `pass it in a file, or remove the quotes: | tr -d \\${quote.mark}`,
      };
  }
}

const TO_JSON = /^(?:json\.dumps|JSON\.stringify)\((?!\s*(?:len|int|float|sum|Number)\()/;

/** True if a program fills in JSON here, directly or by a variable that gets nothing else. */
function isJson(text: string, offset: number): boolean {
  const [, written = ''] = /^\$?\{?\s*([^]*)/.exec(text.slice(offset)) ?? [];
  if (TO_JSON.test(written)) return true;
  const [name = ''] = /^[A-Za-z_]\w*(?=\s*[},)])/.exec(written) ?? [];
  if (name === '') return false;
  const values = [...text.matchAll(new RegExp(`(?<![\\w.])${name}\\s*=(?!=)\\s*(.*)`, 'g'))];
  return (
    values.length > 0 && values.every(([, value = '']) => TO_JSON.test(value) && !/\.replace|\.translate/.test(value))
  );
}

/** What a state was passed, as it is. */
const PENDING = /^\$(?:\{(?=\w+\}))?(RAYMOND_(?:INPUT|RESULT))\b/;

/** The quotes that may enclose an attribute. */
const DOUBLE = { name: 'a double quote', mark: '"' } as const;
const SINGLE = { name: 'a single quote', mark: "'" } as const;

/** What is one word by its name, such as a version: of the variable, or of the file. */
const ONE_WORD =
  /(?:version|tag|count|num|number|total|size|round|sha|hash|commit|branch|date|day|time|id|pid|port|n|i|status|state|next|mode|lines|words|rev|revision|score|name|file|path|folder|dir|key|claim|job|slug|url|site|host|lang|language|locale|region|env|stage|level|severity|priority|category|kind|type|unit|currency|amount|price|rate|percent|grade|rating|phase|step|index|year|month|week|branch|repo|owner|user|email|team)$/i;

/** What is a text by its name. */
const LONG_TEXT =
  /(?:text|body|message|summary|description|comment|notes?|answer|question|content|draft|title|subject|log|diff|report|review|prompt|input|feedback|reply|request|spec|plan|brief|errors?|output|result|reason|findings)$/i;

function isWord(text: string, ...offsets: readonly number[]): boolean {
  return offsets.some((offset) => {
    const [, variable, file] =
      /^(?:\$\{?(\w+)|(?:\$\(|`)\s*(?:cat|<)\s+(?:--\s+)?["']?(?:[^\s"')]*\/)?([\w-]+)(?:\.txt)?["']?\s*\))/.exec(
        text.slice(offset, offset + 200),
      ) ?? [];
    if (ONE_WORD.test(variable ?? file ?? '')) return true;
    // A file of the task folder without an extension is mostly a value that a state has kept.
    const [, folder = '', kept] =
      /^\$\(\s*(?:cat|<)\s+["']?\$\{?(\w+)\}?["']?\/([\w-]+)["']?\s*\)/.exec(text.slice(offset, offset + 200)) ?? [];
    return kept !== undefined && isTaskFolder(text, folder) && !LONG_TEXT.test(kept);
  });
}

/** True for the variable of the task folder, and for one that has its value. */
function isTaskFolder(text: string, name: string): boolean {
  const given = new RegExp(`(?<![\\w$])${name}=["']?\\$\\{?RAYMOND_TASK_FOLDER\\}?["']?[ \\t]*(?:;|$)`, 'm');
  return name === 'RAYMOND_TASK_FOLDER' || given.test(text);
}

const WHOLE_TEXT =
  /^(?:\$\(|`)\s*(?:<|cat\b|git (?:log|diff|show)\b|curl\b(?!.*\s(?:-o|--output)[ =]?\/dev\/null\b)|jq\b(?!\s+-\w+\s+['"]?\.(?!\w*(?:title|text|body|message|summary|description|comment|content|subject|note)\b)\w+['"]?\s))(?![^)]*\|)/;

/** Rules about the syntax of attributes. */
export const QUOTING_RULES: readonly Rule[] = [
  {
    id: 'malformed-attribute',
    severity: 'error',
    summary: 'An attribute is not written as name="value", for example because a quote is missing.',
    why: 'Attributes are written name="value" or name=\'value\'. Without matching quotes the value would be lost, so the output is rejected. A value cannot contain the quote that encloses it.',
    check: malformed,
  },
  {
    id: 'repeated-attribute',
    severity: 'warning',
    summary: 'A tag has the same attribute more than once, but only the last value counts.',
    why: 'Only the last value is used; the others are lost.',
    check: repeated,
  },
  {
    id: 'unquotable-value',
    severity: 'warning',
    summary:
      'The quotation mark that encloses the value of an attribute also occurs in the value, or may occur in the value when the script runs.',
    why: 'An attribute ends at the quote that encloses it, and there are no escapes. An input, the content of a file or the output of a program may contain that quote.',
    check: unquotable,
  },
];
