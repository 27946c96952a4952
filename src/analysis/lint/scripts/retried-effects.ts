// Finds in a script what lasts when it fails, such as a line at the end of a file or a message, and the steps that may fail. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import type { CommandLine } from '../../shell/shell.js';
import type { ScriptState } from '../helpers.js';
import { blocksOf, type Point } from './retried-order.js';

/** Something lasting that a script does. */
export interface Effect extends Point {
  /** What it does, for the message. */
  readonly what: string;
  readonly kind: 'append' | 'change' | 'message' | 'table';
  /** The file: its expression and the texts that it stands for, and the text of the statement. */
  readonly file?: { readonly names: readonly string[]; readonly text: string };
  /** True if what is written depends on a value. */
  readonly isVarying: boolean;
}

/** More effects of one kind are not looked at: the script is searched for each. */
const MOST_EFFECTS = 40;

interface Points {
  readonly effects: readonly Effect[];
  readonly failures: readonly Point[];
}

/** The effects and the steps that may fail. */
export function pointsOf(state: ScriptState, code: string): Points {
  const executor = executorOf(state.file);
  if (executor === 'bash') return pointsOfShell(state, code);
  if (executor !== 'python' && executor !== 'node') return { effects: [], failures: [] };
  const tries = blocksOf(code, executor === 'python' ? /^\s*try:/ : /^\s*(?:\} )?try\s*\{/);
  const isTried = ({ at }: Point): boolean => tries.some(({ from, to }) => at >= from && at < to);
  const isPython = executor === 'python';
  const effects = [
    ...appends(code, isPython),
    ...changedFiles(code, isPython),
    ...messages(code, isPython),
    ...tables(code),
  ];
  return {
    effects: effects.filter((effect) => !isTried(effect)).sort((one, other) => one.at - other.at),
    failures: matchesOf(code, isPython ? PYTHON_FAILS : NODE_FAILS).filter((failure) => !isTried(failure)),
  };
}

const SAFE_GIT = /^(?:log|rev-parse|status|diff|config|add|branch|show|describe|ls-files|symbolic-ref|init)$/;
const MAY_FAIL =
  /^(?:curl|wget|http|git|make|npm|npx|pnpm|yarn|python3?|node|docker|podman|ssh|scp|sftp|rsync|gh|glab|pip3?|cargo|go|pytest|kubectl|helm|terraform|ansible\S*|psql|mysql|mvn|gradle|aws|gcloud|az|rclone|mail|mailx|sendmail|msmtp|mutt|swaks|lpr?|ffmpeg|pandoc|nc|ping|dig|redis-cli|mosquitto_pub|\.\.?\/\S+)$/;
const MAILS = /^(?:mail|mailx|sendmail|msmtp|mutt|swaks)$/;

function pointsOfShell({ source: { script } }: ScriptState, code: string): Points {
  const { commands } = script.shell ?? { commands: [] };
  const isStrict = /^\s*set\s+(?:-\w*e\w*|-\w+\s+-\w*e\w*|-o\s+errexit)/m.test(code);
  const failures = commands.flatMap((command): readonly Point[] => {
    const { name, args, at } = command;
    const end = endOfStatement(code, at);
    if (name === 'exit') return /^[1-9]/.test(args[0]?.text ?? '') ? [{ at, end }] : [];
    if (!MAY_FAIL.test(name) || (name === 'git' && SAFE_GIT.test(args[0]?.text ?? ''))) return [];
    return isFatal(code, { at, end, isStrict }) ? [{ at, end }] : [];
  });
  const effects = [
    ...shellAppends(code),
    ...shellCounters(code),
    ...commands.flatMap((command) => effectOf(command, code) ?? []),
  ];
  return { effects: effects.sort((one, other) => one.at - other.at), failures };
}

function endOfStatement(code: string, at: number): number {
  return at + (/^(?:\\\n|[^\n;])*/.exec(code.slice(at, at + 4000))?.[0].length ?? 0);
}

function isFatal(
  code: string,
  { at, end, isStrict }: { readonly at: number; readonly end: number; readonly isStrict: boolean },
): boolean {
  const before = code.slice(code.lastIndexOf('\n', at - 1) + 1, at);
  const statement = code.slice(at, end);
  if (/\b(?:if|elif|while|until)\s[^;]*$|!\s*$|&&\s*$/.test(before)) return false;
  if (/\|\|/.test(statement))
    return /\|\|\s*(?:\{[^\n]*)?(?:exit(?:\s+[1-9]|\s*$)|die\b|fail\b|false\b)/.test(statement);
  if (/[^|]\|[^|]/.test(statement) && !/pipefail/.test(code)) return false;
  return isStrict && !/&\s*$/.test(statement);
}

function shellAppends(code: string): readonly Effect[] {
  const pattern =
    />>[ \t]*("[^"\n]*"|'[^'\n]*'|[^\s;&|()<>]+)|\btee[ \t]+(?:-a|--append)[ \t]+("[^"\n]*"|[^\s;&|()<>]+)/g;
  return [...code.matchAll(pattern)].slice(0, MOST_EFFECTS).map((match) => {
    const path = (match[1] ?? match[2] ?? '').replace(/["']/g, '');
    const from = code.lastIndexOf('\n', match.index) + 1;
    const statement = code.slice(from, match.index);
    return {
      at: from + (/^\s*/.exec(statement)?.[0].length ?? 0),
      end: match.index + match[0].length,
      what: `this appends to ${path}`,
      kind: 'append',
      file: { names: namesOf(path, code), text: statement },
      isVarying: /\$|^\s*\}|\|\s*$/.test(statement),
    };
  });
}

/** The expression of a file, and the texts that its variable gets. */
function namesOf(path: string, code: string): readonly string[] {
  const [, name] = /^\$\{?(\w+)\}?$|^(\w+)$/.exec(path)?.filter(Boolean) ?? [];
  if (name === undefined) return [path];
  const given = [
    ...code.matchAll(new RegExp(`(?<![\\w$.])${name}[ \\t]*(?::[^=\\n]{1,30})?=(?!=)[ \\t]*([^\\n;]+)`, 'g')),
  ];
  return [path, ...given.map(([, value = '']) => value.replace(/["']/g, '').trim())];
}

/** A number that a script reads from a file, raises and writes back. */
function shellCounters(code: string): readonly Effect[] {
  const writes = /^[ \t]*(?:echo|printf)\b[^\n>]*\$[^\n>]*(?<!>)>[ \t]*("[^"\n]*"|[^\s;&|()<>]+)/gm;
  return [...code.matchAll(writes)].slice(0, MOST_EFFECTS).flatMap((match) => {
    const path = (match[1] ?? '').replace(/["']/g, '');
    const above = code.slice(0, match.index);
    const isRead = new RegExp(`(?:\\bcat\\s+|<\\s*)["']?${literalPattern(path)}`).test(above);
    const isRaised = /\$\(\([^\n]*[-+][^\n]*\)\)|\(\([^\n]*(?:\+\+|--|[-+]=)[^\n]*\)\)|\blet\b/.test(above + match[0]);
    if (path === '' || !isRead || !isRaised) return [];
    const at = match.index + (/^[ \t]*/.exec(match[0])?.[0].length ?? 0);
    const file = { names: namesOf(path, code), text: match[0] };
    return [
      {
        at,
        end: match.index + match[0].length,
        what: `this changes the number in ${path}`,
        kind: 'change',
        file,
        isVarying: true,
      } as const,
    ];
  });
}

const POSTS = /\s(?:-d|--data\S*|--json|-F|--form)\b/;
const ASKS =
  /search|query|graphql|login|token|auth|session|completion|embedding|translate|convert|render|valid|check|lint/i;

/** A request that has the same effect when it is sent again. */
const SETS = /\s(?:-X|--request)[ =]?["']?(?:PUT|DELETE|GET|HEAD)\b/;

function effectOf({ name, args, at }: CommandLine, code: string): Effect | undefined {
  const end = endOfStatement(code, at);
  const statement = code.slice(at, end);
  const before = code.slice(code.lastIndexOf('\n', at - 1) + 1, at);
  const point = { at, end, isVarying: true } as const;
  if (MAILS.test(name) && args.length > 0) return { ...point, what: 'this sends a mail', kind: 'message' };
  if (/^(?:psql|mysql|sqlite3)$/.test(name) && changesTable(statement))
    return { ...point, what: 'this changes a table', kind: 'table' };
  if (name === 'gh' && /^gh\s+(?:issue|pr)\s+(?:create|comment)\b/.test(statement))
    return { ...point, what: 'this writes to GitHub', kind: 'message' };
  const isSent =
    name === 'curl' &&
    POSTS.test(statement) &&
    !SETS.test(statement) &&
    !ASKS.test(statement.replace(/-H\s+("[^"]*"|'[^']*')/g, ''));
  if (!isSent || /\$\($|`$|=\s*"?\$\(/.test(before)) return undefined;
  const isKept = /\s(?:-o|--output)\s+(?!\/dev\/null)|(?<![\d&])>\s*(?!\/dev\/null|&)\S|\|(?!\|)/.test(statement);
  return isKept ? undefined : { ...point, what: 'this sends a request', kind: 'message' };
}

/** True for SQL that adds or counts again if it runs a second time. */
function changesTable(sql: string): boolean {
  if (/\bON\s+CONFLICT\b|\bOR\s+(?:IGNORE|REPLACE)\b|\bNOT\s+EXISTS\b|\bON\s+DUPLICATE\b|TURN_ID/i.test(sql))
    return false;
  return /\bINSERT\s+INTO\b/i.test(sql) || /\bUPDATE\b[^]*?\bSET\s+(\w+)\s*=\s*\1\s*[-+]/i.test(sql);
}

const PYTHON_FAILS =
  /\burlopen\(|\b(?:requests|httpx|session|client)\.(?:get|post|put|patch|delete|request)\(|\braise_for_status\(|\bsubprocess\.(?:check_call|check_output)\(|\bsubprocess\.run\((?=(?:[^()]|\((?:[^()]|\([^()]*\))*\)){0,600}check\s*=\s*True)|\bsmtplib\.SMTP\w*\(|\bftplib\.|\bsocket\.create_connection\(|\bsys\.exit\(\s*(?:[1-9]|f?["'])|\braise\s+(?:SystemExit\(\s*(?:[1-9]|f?["'])|(?!SystemExit)\w)|\bupload_file\(|\bput_object\(/g;
const NODE_FAILS =
  /(?<![\w.])fetch\(|\baxios\b[.(]|\bexec(?:File)?Sync\(|\bthrow\b|\bprocess\.exit\(\s*[1-9]|\bprocess\.exitCode\s*=\s*[1-9]|\bhttps?\.request\(|\bsendMail\(|(?<![\w.])(?:execFile|exec|run)Async\(/g;

function matchesOf(code: string, pattern: RegExp): readonly Point[] {
  return [...code.matchAll(pattern)].map(({ index, 0: { length } }) => ({ at: index, end: index + length }));
}

const PATH = String.raw`((?:[\w.]+|Path\([^()\n]*\)|[\w.]*join\([^()\n]*(?:\([^()\n]*\))?[^()\n]*\)|\([^()\n]*\)|f?["'\`][^"'\`\n]*["'\`])(?:\s*/\s*f?["'][^"'\n]*["'])*)`;

function appends(code: string, isPython: boolean): readonly Effect[] {
  const patterns = isPython
    ? [`(?<![\\w.])open\\(\\s*${PATH}\\s*,\\s*(?:mode\\s*=\\s*)?["']a`, `${PATH}\\.open\\(\\s*(?:mode\\s*=\\s*)?["']a`]
    : [
        `(?:appendFile|appendFileSync)\\(\\s*${PATH}`,
        `createWriteStream\\(\\s*${PATH}\\s*,[^()\\n]*flags:\\s*["']a`,
        `writeFile(?:Sync)?\\(\\s*${PATH}\\s*,[^\\n]*flag:\\s*["']a`,
      ];
  return patterns.flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].slice(0, MOST_EFFECTS).map((match) => {
      const path = (match[1] ?? '').replace(/["'`]/g, '');
      const end = match.index + match[0].length;
      return fileEffect(code, { at: match.index, end, path, what: `this appends to ${path}`, kind: 'append' });
    }),
  );
}

function fileEffect(
  code: string,
  { path, ...effect }: Pick<Effect, 'at' | 'end' | 'what' | 'kind'> & { readonly path: string },
): Effect {
  return { ...effect, file: { names: namesOf(path, code), text: '' }, isVarying: true };
}

/** A file that a program reads, adds something to and writes back. */
function changedFiles(code: string, isPython: boolean): readonly Effect[] {
  const writes = isPython
    ? [
        `${PATH}\\.write_text\\(`,
        `(?<![\\w.])open\\(\\s*${PATH}\\s*,\\s*(?:mode\\s*=\\s*)?["']w`,
        `${PATH}\\.open\\(\\s*(?:mode\\s*=\\s*)?["']w`,
      ]
    : [`writeFile(?:Sync)?\\(\\s*${PATH}\\s*,`];
  if (/\bnot in\b|\.includes\(|\.has\(|\.some\(|TURN_ID/.test(code)) return [];
  return writes.flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].slice(0, MOST_EFFECTS).flatMap((match) => {
      const expression = match[1] ?? '';
      const reads = readsOf(literalPattern(expression), isPython).exec(code);
      if (reads === null || reads.index > match.index || !isRaised(code, reads.index)) return [];
      const path = expression.replace(/["'`]/g, '');
      return [
        fileEffect(code, {
          at: match.index,
          end: match.index + match[0].length,
          path,
          what: `this changes what ${path} contains`,
          kind: 'change',
        }),
      ];
    }),
  );
}

function readsOf(path: string, isPython: boolean): RegExp {
  return new RegExp(
    isPython
      ? `${path}\\.read_text\\(|(?<![\\w.])open\\(\\s*${path}\\s*(?:\\)|,\\s*(?:encoding|["']r))|${path}\\.open\\(\\s*(?:\\)|encoding|["']r)`
      : `readFile(?:Sync)?\\(\\s*${path}\\s*[,)]`,
  );
}

/** True if a program adds something to what it has read at an offset. */
function isRaised(code: string, at: number): boolean {
  const line = code.slice(code.lastIndexOf('\n', at) + 1, at);
  const below = code
    .slice(at, at + 300)
    .split('\n')
    .slice(0, 4)
    .join('\n');
  const heads = [...code.slice(0, at).matchAll(/\bdef (\w+)\(|\bfunction (\w+)\(|\bconst (\w+) = (?:async )?\(/g)];
  const last = heads.at(-1);
  const reader = last?.[1] ?? last?.[2] ?? last?.[3];
  const names = [
    /(\w+)(?:\s*:\s*[\w<>[\], ]+)?\s*=\s*[^=\n]*$/.exec(line)?.[1],
    /^[ \t]+(\w+)\s*=\s*(?:json\.load|int|float|\w+\.read)/m.exec(below)?.[1],
    ...(reader === undefined
      ? []
      : [...code.matchAll(new RegExp(`(\\w+)(?:\\s*:\\s*[\\w<>[\\], ]+)?\\s*=\\s*(?:await )?${reader}\\(`, 'g'))].map(
          ([, name]) => name,
        )),
  ];
  return names.some(
    (name) =>
      name !== undefined &&
      new RegExp(
        `(?<![\\w.])${name}\\b[^\\n;=]{0,60}(?:[-+]=|\\+\\+|--|\\.(?:push|append|extend|unshift)\\(|\\s[-+]\\s\\d)|(?<![\\w.])${name}\\b[^\\n;=]{0,60}=(?!=)[^\\n;]*\\b${name}\\b[^\\n;]*\\s[-+]\\s`,
      ).test(code.slice(at)),
  );
}

function messages(code: string, isPython: boolean): readonly Effect[] {
  const pattern = isPython
    ? /\b(?:requests|httpx|session)\.post\(|\burlopen\(|\bsend_message\(|\.sendmail\(|\bsubprocess\.(?:run|check_call)\(\s*\[\s*["'](?:mail|sendmail|mutt)["']/g
    : /(?<![\w.])fetch\(|\baxios\.post\(|\bsendMail\(|\bexecFileSync\(\s*["'](?:mail|sendmail|mutt)["']/g;
  if (/TURN_ID|Idempoten/i.test(code)) return [];
  return matchesOf(code, pattern).flatMap(({ at, end }) => {
    const call = code.slice(at, at + 400).split(/\n\s*\n|;\s*\n/)[0] ?? '';
    const isPost = /^(?:fetch|urlopen)\(/.test(call)
      ? /method:\s*["']POST["']/.test(call) || (/^urlopen/.test(call) && /\bdata\s*=/.test(code))
      : true;
    const isRead = /\.json\(|\.text\(|\.text\b|\.read\(|json\.load/.test(code.slice(at, at + 600));
    return isPost && !isRead && !ASKS.test(call)
      ? [{ at, end, what: 'this sends a message', kind: 'message', isVarying: true } as const]
      : [];
  });
}

/** Changes of a table that are committed before the program ends. */
function tables(code: string): readonly Effect[] {
  return [
    ...code.matchAll(/\bexecute\w*\(\s*f?(["'`]{1,3})([^"'`]*(?:'[^'"`\n]*'[^"'`]*)*)|\.prepare\(\s*(["'`])([^"'`]*)/g),
  ].flatMap(({ index, 0: whole, 2: sql = '', 4: prepared = '' }) => {
    const text =
      sql === ''
        ? prepared
        : `${sql}${code.slice(index + whole.length, index + whole.length + 120).split('\n')[0] ?? ''}`;
    if (!changesTable(text) || (/\bINSERT\b/i.test(text) && /\bSELECT\s+(?:1|count|id)\b/i.test(code))) return [];
    const isCommitted =
      /\.commit\(\)|\bwith\s+(?:closing\()?\w*(?:db|database|con|conn|connection)\b|DatabaseSync|better-sqlite/.test(
        code,
      );
    return isCommitted
      ? [
          {
            at: index,
            end: index + whole.length,
            what: 'this changes a table',
            kind: 'table',
            isVarying: true,
          } as const,
        ]
      : [];
  });
}
