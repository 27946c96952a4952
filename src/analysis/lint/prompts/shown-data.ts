// Finds the data that a script prints on its stdout outside of tags: lists, tables and the output of other programs, not messages about its
// progress. Only a person who reads the log sees them. Pure.
import type { Command as CommandNode, Statement } from 'unbash';
import type { Expression, Program, Step } from '../../program/program.js';
import { commandLine, outputOf, type CommandLine, type ShellScript } from '../../shell/shell.js';
import { nodesOf } from '../../shell/walk.js';
import { SILENT } from '../../shell/output.js';
import { COMPUTED } from '../../shell/words.js';
import { plainText, TAG, type ScriptState } from '../helpers.js';

/** What a script prints; `log` = the messages of a build, a test and the like. */
export interface Shown {
  readonly at: number;
  readonly kind: 'data' | 'log';
  /** The words of the command, or of the text that is printed. */
  readonly words: string;
}

/** Everything of this kind that a script prints. */
export function shownBy({ source }: ScriptState): readonly Shown[] {
  const { shell, program } = source.script;
  if (shell !== undefined) return new ShellShown(shell).all();
  return program === undefined ? [] : new ProgramShown(program).all();
}

const READERS =
  /^(?:cat|jq|yq|grep|egrep|fgrep|rg|awk|gawk|sed|sort|uniq|head|tail|cut|column|tr|comm|diff|ls|find|tree|du|df|ps|nl|paste|join|rev|tac|fold|pr|sqlite3|psql|mysql|curl|csvcut|xsv|kubectl|docker|gh|openssl|dig|journalctl|last|who|lsof|ss|xargs)$/;
const BUILDERS =
  /^(?:make|npm|npx|yarn|pnpm|pytest|cargo|go|mvn|gradle|tox|eslint|shellcheck|tsc|ruff|mypy|flake8|pip|pip-audit|python3?|node|bash|sh|php|ruby|bundle|terraform|ansible-\w+|time)$/;

/** Options by which a command prints nothing, or nothing but a number. */
const QUIET = /(?:^|\s)(?:--quiet|--silent|--exit-code|--output\b|--check|--count|--in-place)/;
const QUIET_OF: Readonly<Record<string, RegExp>> = {
  grep: /(?:^|\s)-[a-zA-Z]*[qc]/,
  egrep: /(?:^|\s)-[a-zA-Z]*[qc]/,
  fgrep: /(?:^|\s)-[a-zA-Z]*[qc]/,
  rg: /(?:^|\s)-[a-zA-Z]*[qc]/,
  sed: /(?:^|\s)-[a-zA-Z]*i/,
  sort: /(?:^|\s)-[a-zA-Z]*o/,
  curl: /(?:^|\s)-[a-zA-Z]*[oOI]/,
  diff: /(?:^|\s)-[a-zA-Z]*q/,
  find: /-(?:delete|exec|execdir|quit)\b/,
  awk: /\bexit\b|print[^|]*>|^[^{]*\{[^{}]*\bprint\s+\w+\s*\+\s*0/,
  git: /(?:^|\s)-[dDmq](?:\s|$)/,
  docker: /^(?!ps|images|logs)/,
};

function isQuiet(name: string, words: string): boolean {
  return QUIET.test(words) || QUIET_OF[name]?.test(words) === true;
}

const GIT =
  /^(?:-C\s+\S+\s+)?(?:log|diff|show|status|shortlog|ls-files|blame|grep|for-each-ref|whatchanged|reflog|cherry|rev-list|stash\s+list|(?:branch|tag|remote)(?:\s+-\S+)*(?:\s+\S+)?$)/;

/** Where a node of a script stands. */
interface Context {
  readonly inLoop: boolean;
  readonly isTest: boolean;
  /** True for the last command of a pipeline. */
  readonly isFiltering?: boolean;
  /** Where the function is called that contains the node. */
  readonly calledAt?: number;
}

type Node = Statement['command'];

class ShellShown {
  private readonly found: Shown[] = [];
  private readonly entered = new Set<string>();

  constructor(private readonly shell: ShellScript) {}

  all(): readonly Shown[] {
    this.list(this.shell.ast.commands, { inLoop: false, isTest: false });
    return this.found;
  }

  private list(statements: readonly Statement[], context: Context): void {
    for (const { command } of statements) this.node(command, context);
  }

  private node(node: Node | { readonly type: string }, context: Context): void {
    const one = node as Node;
    switch (one.type) {
      case 'Command':
        return this.command(one, context);
      case 'AndOr':
        for (const command of one.commands) this.node(command, context);
        return;
      case 'Pipeline': {
        const last = one.commands.at(-1);
        if (last !== undefined) this.node(last, { ...context, isFiltering: one.commands.length > 1 });
        return;
      }
      case 'If':
        for (const { clause, then } of [one, ...one.elif]) {
          this.list(clause.commands, { ...context, isTest: true });
          this.list(then.commands, context);
        }
        return this.list(one.else?.commands ?? [], context);
      case 'Case':
        for (const { body } of one.items) this.list(body.commands, context);
        return;
      case 'While':
      case 'For':
      case 'Select':
      case 'ArithmeticFor':
        return this.list(one.body.commands, { ...context, inLoop: true });
      case 'BraceGroup':
      case 'Subshell':
        return this.list(one.body.commands, context);
      case 'Redirected':
        if (outputOf(one.redirects) === undefined) this.node(one.command, context);
        return;
      default:
    }
  }

  private command(node: CommandNode, context: Context): void {
    const line = commandLine(node);
    if (line === undefined || line.output !== undefined) return;
    const called = this.shell.functions.get(line.name);
    if (called === undefined) return this.simple(line, context);
    if (this.entered.has(line.name)) return;
    this.entered.add(line.name);
    this.node(called.body, { ...context, calledAt: context.calledAt ?? line.at });
  }

  private simple({ name, args, stdin, at }: CommandLine, { inLoop, isTest, isFiltering, calledAt }: Context): void {
    const words = args.map(({ text }) => text).join(' ');
    const add = (kind: Shown['kind'], what: string): void =>
      void this.found.push({ at: calledAt ?? at, kind, words: what });
    if (name === 'echo' || name === 'printf') {
      if (!isTest && isDataText(name === 'printf' ? words.replace(/%[-\d.]*[sdifgbq]/g, '') : words, inLoop))
        add('data', words);
    } else if (name === 'cat' && stdin.length > 0 && args.length === 0) {
      const text = stdin
        .map((one) => one.text)
        .join('\n')
        .replace(/<([a-z][\w-]*)\b[^<>]*>[^]*?<\/\1>/g, '');
      if (text.includes(COMPUTED) && text.trim().includes('\n')) add('data', text);
    } else if (isQuiet(name, words)) return;
    else if (
      name === 'git'
        ? GIT.test(words)
        : READERS.test(name) || (isFiltering === true && !SILENT.has(name) && !BUILDERS.test(name) && name !== 'tee')
    )
      add(isTest ? 'log' : 'data', `${name} ${words}`);
    else if (BUILDERS.test(name)) add('log', `${name} ${words}`);
  }
}

/** A message such as "formatting a.md". */
const PROGRESS = /^[\s"'`=>#*[\].-]*(?:\w+ing\b|ok\b|done\b|skipped\b)/i;

/** True for a text that consists of data: one of many lines, or nothing but a value. */
function isDataText(text: string, inLoop: boolean): boolean {
  if (!text.includes(COMPUTED) || TAG.test(text) || PROGRESS.test(text)) return false;
  return inLoop || /^[\s\uE000"'\\n%s-]*$/.test(text);
}

type Call = Expression & { readonly kind: 'call' };

/** What runs another program, whose output is also that of the script. */
const RUNS = /^(?:subprocess\.(?:run|call|check_call)|os\.system|(?:\w+\.)?(?:execSync|execFileSync|spawnSync))$/;
const CAPTURES = /\bcapture_output\b|\bstdout\s*=|>\s*[\w/&]/;

class ProgramShown {
  private readonly found: Shown[] = [];

  constructor(private readonly program: Program) {}

  all(): readonly Shown[] {
    this.steps(this.program.steps, false);
    for (const { body } of this.program.functions.values()) this.steps(body, false);
    return this.found;
  }

  private steps(steps: readonly Step[], inLoop: boolean): void {
    for (const step of steps) this.step(step, inLoop);
  }

  private step(step: Step, inLoop: boolean): void {
    switch (step.kind) {
      case 'do':
        return this.expression(step.value, inLoop);
      case 'choice':
        for (const { body } of step.branches) this.steps(body, inLoop);
        return;
      case 'loop':
        return this.steps([...step.body, ...step.otherwise], true);
      case 'try':
        return this.steps(
          [...step.body, ...step.handlers.flatMap(({ body }) => body), ...step.otherwise, ...step.last],
          inLoop,
        );
      case 'block':
        return this.steps(step.body, inLoop);
      case 'return':
      case 'throw':
      case 'exit':
        if (step.value !== undefined) this.expression(step.value, inLoop);
        return;
      default:
    }
  }

  private expression(value: Expression, inLoop: boolean): void {
    switch (value.kind) {
      case 'call':
        this.call(value, inLoop);
        for (const arg of [...value.args, ...(value.receiver === undefined ? [] : [value.receiver])])
          this.expression(arg, inLoop || /\b(?:forEach|map)$/.test(value.name));
        return;
      case 'function':
        return this.steps(value.body.body, inLoop);
      case 'either':
        return [value.then, value.otherwise].forEach((one) => this.expression(one, inLoop));
      case 'maybe':
        return [value.left, value.right].forEach((one) => this.expression(one, inLoop));
      case 'set':
        return this.expression(value.value, inLoop);
      case 'other':
        return value.parts.forEach((one) => this.expression(one, inLoop));
      default:
    }
  }

  private call(call: Call, inLoop: boolean): void {
    const { name, at, end } = call;
    const text = this.program.text.slice(at, end);
    if (/^console\.(?:table|dir|info)$/.test(name)) this.found.push({ at, kind: 'data', words: text });
    else if (RUNS.test(name) && (name.endsWith('Sync') ? /inherit/.test(text) : !CAPTURES.test(text)))
      this.found.push({ at, kind: 'log', words: text });
    else if (this.program.effectOf(call) === 'stdout') this.printed(call, inLoop);
  }

  private printed({ args, at, end }: Call, inLoop: boolean): void {
    const text = this.program.text.slice(at, end);
    const isKnown = args.every(({ kind }) => kind === 'text');
    if (
      isKnown ||
      TAG.test(text) ||
      PROGRESS.test(text.replace(/^[\w.]+\(\s*f?/, '')) ||
      /\b(?:tags?|forks?|transition|next|reply)\b/i.test(text)
    )
      return;
    const isList = args.some((arg) => arg.kind === 'call' && LISTS.test(arg.name));
    if (inLoop || (args.length === 1 ? args.every((arg) => this.isText(arg)) : isList))
      this.found.push({ at, kind: 'data', words: text });
  }

  /** True for a value, not for a message or for a function of the program, which may make a tag. */
  private isText(value: Expression): boolean {
    if (value.kind === 'name') return true;
    if (value.kind === 'join')
      return value.parts.some((part) => part.kind === 'call' && LISTS.test(part.name) && this.isText(part));
    if (value.kind !== 'call') return false;
    const { functions, text } = this.program;
    const own = functions.get(value.name);
    return own === undefined
      ? MAKES_TEXT.test(value.name)
      : !/<[a-z/]|\b(?:print|console|exit)\b/i.test(text.slice(own.at, own.end));
  }
}

/** Calls that make a text of many values. */
const MAKES_TEXT =
  /(?:^|\.)(?:dumps|stringify|join|read|read_text|readFileSync|toString|decode|strip|trim|format|tabulate|to_string|to_markdown|check_output|execSync|execFileSync)$/;

/** Those that certainly do. */
const LISTS = /(?:^|\.)(?:dumps|stringify|join|tabulate|to_string|to_markdown)$/;

/** True for a script that writes a file which a later state may read. */
export function writesFile(state: ScriptState): boolean {
  const code = plainText(state);
  const { shell } = state.source.script;
  if (shell === undefined)
    return /\bopen\([^()\n]*,\s*(?:mode=)?["'][wax]|\bwrite_(?:text|bytes)\(|\b(?:writeFile|appendFile|createWriteStream|copyFile)|\.open\(["'][wax]|\bshutil\b|\.to_(?:csv|json)\(|\bdump\(/.test(
      code,
    );
  const outputs = [
    ...shell.commands.map(({ output }) => output),
    ...nodesOf(shell.ast, 'Redirected').map(({ redirects }) => outputOf(redirects)),
  ];
  return (
    outputs.some((output) => output !== undefined && !/^(?:stderr|\/dev\/|&?\d$)/.test(output)) ||
    /\b(?:tee|cp|mv|install|rsync)\s|\bcurl\b[^\n]*\s-[oO]\b/.test(code)
  );
}
