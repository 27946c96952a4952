// Reads the examples of a Markdown page: a run of fenced blocks is one example, the line above each says what it is.
// A block that nobody would run, or a page that shows nothing, is an error: otherwise a test of the page could not fail.
import { fencedBlocks, type Block } from './fenced-blocks.js';

/** One command of an example: what it prints and how it ends. */
export interface Command {
  readonly args: readonly string[];
  readonly stdout: string;
  readonly exitCode: number;
}

/** One example. `…` in an expected text stands for anything. */
export interface Example {
  /** The heading above it, with a number from the second one under a heading on. */
  readonly title: string;
  readonly line: number;
  readonly files: ReadonlyMap<string, string>;
  /** What Claude answers in a state, in turn; the last answer is given again. */
  readonly answers: ReadonlyMap<string, readonly string[]>;
  /** Files that the commands have made, and what they hold then. */
  readonly made: ReadonlyMap<string, string>;
  /** What Claude was asked last in a state. */
  readonly prompts: ReadonlyMap<string, string>;
  readonly commands: readonly Command[];
  readonly stderr: readonly string[];
}

/** All examples of a page. Throws with the line of the first block that is none. */
export function readExamples(page: string): readonly Example[] {
  const runs = new Map<number, Block[]>();
  for (const block of fencedBlocks(page)) runs.set(block.run, [...(runs.get(block.run) ?? []), block]);
  if (runs.size === 0) throw new Error('the page has no examples');
  const counts = new Map<string, number>();
  return [...runs.values()].map((blocks) => {
    const heading = blocks[0]!.heading;
    const count = (counts.get(heading) ?? 0) + 1;
    counts.set(heading, count);
    return exampleOf(count === 1 ? heading : `${heading} (${count})`, blocks);
  });
}

function exampleOf(title: string, blocks: readonly Block[]): Example {
  const files = new Map<string, string>();
  const answers = new Map<string, readonly string[]>();
  const made = new Map<string, string>();
  const prompts = new Map<string, string>();
  const commands: Command[] = [];
  const stderr: string[] = [];
  for (const block of blocks) {
    const { text } = block;
    const what = kindOf(block);
    switch (what.kind) {
      case 'console':
        commands.push(...commandsOf(block));
        break;
      case 'stderr':
        stderr.push(...text.split('\n').filter((line) => line.trim() !== ''));
        break;
      case 'answers':
        put(
          answers,
          { block, name: what.name },
          text.split(/^---$/m).map((answer) => answer.trim()),
        );
        break;
      case 'prompt':
        put(prompts, { block, name: what.name }, text.trim());
        break;
      case 'made':
        put(made, { block, name: what.name }, text);
        break;
      case 'file':
        put(files, { block, name: what.name }, text);
    }
  }
  const [first] = blocks;
  if (commands.length === 0) throw mistake(first!, `the example "${title}" has no console block`);
  return { title, line: first!.line, files, answers, made, prompts, commands, stderr };
}

type Kind =
  | { readonly kind: 'console' | 'stderr' }
  | { readonly kind: 'answers' | 'prompt' | 'made' | 'file'; readonly name: string };

/** What a block is, by the line above it: renderers drop what stands in the info string. */
function kindOf(block: Block): Kind {
  const { language, caption } = block;
  if (/\s/.test(language)) throw mistake(block, `"${language}": the name belongs into a line above the block`);
  if (caption === 'On stderr:') return { kind: 'stderr' };
  const [, doing, name] = /^(?:Claude (answers|was asked) in )?`(.+)`:$/.exec(caption ?? '') ?? [];
  const [, made] = /^Now `(.+)` holds:$/.exec(caption ?? '') ?? [];
  if (made !== undefined) return { kind: 'made', name: made };
  if (name !== undefined) {
    if (doing === undefined) return { kind: 'file', name };
    return { kind: doing === 'answers' ? 'answers' : 'prompt', name };
  }
  if (language === 'console') return { kind: 'console' };
  throw mistake(block, `a block "${language}" is neither a file nor a command: nobody runs it`);
}

function put<T>(
  into: Map<string, T>,
  { block, name }: { readonly block: Block; readonly name: string },
  value: T,
): void {
  if (into.has(name)) throw mistake(block, `${name} stands twice in one example`);
  if (value === '') throw mistake(block, `${name} is empty`);
  into.set(name, value);
}

function commandsOf(block: Block): readonly Command[] {
  const [before, ...parts] = `\n${block.text.trimEnd()}`.split(/\n\$ /);
  if (before !== '' || parts.length === 0) throw mistake(block, 'a console block begins with a line "$ raymond …"');
  return parts.map((part) => {
    const [line = '', ...output] = part.split('\n');
    const [program, ...args] = words(line);
    if (program !== 'raymond') throw mistake(block, `only "raymond" is run here, not "${line}"`);
    const exit = /^\(exit (\d+)\)$/.exec(output.at(-1) ?? '');
    const stdout = (exit === null ? output : output.slice(0, -1)).join('\n');
    return { args, stdout, exitCode: Number(exit?.[1] ?? 0) };
  });
}

/** The words of a command line; quotes keep words together, nothing else is special. */
function words(line: string): readonly string[] {
  const found = line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g);
  return [...found].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
}

function mistake({ line }: Block, message: string): Error {
  return new Error(`line ${line}: ${message}`);
}
