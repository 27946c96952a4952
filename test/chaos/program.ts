// A random workflow of scripts and prompts, made from a seed alone: the same seed gives the same files.
// Its results say which states were visited, so that they depend on the program only, never on what befell it. Runs nothing.
import { chanceOf, type Chance } from '../trials/random.js';
import { PATH, promptState, scriptState } from '../trials/states.js';

/** A generated workflow: the files of its folder. The first state is START.sh. */
export interface Program {
  readonly files: Readonly<Record<string, string>>;
}

/** How much a workflow holds. */
export interface Size {
  /** Steps of the first agent, calls and forks counted as one each. */
  readonly steps: number;
}

/** The workflow of a seed; its states note what they do in the file `effects`. */
export function programOf(seed: number, { steps }: Size, effects: string): Program {
  return new Author(chanceOf(seed), effects).write(steps);
}

type End = () => string;

/** Of scripts: the monkey kills some by themselves, which is a failure of theirs. The judge counts those that failed. */
const RETRIES = 50;

/** How deep calls and forks stand in each other. */
const DEEPEST = 2;

class Author {
  private readonly files: Record<string, string> = {};
  private states = 0;

  constructor(
    private readonly chance: Chance,
    private readonly effects: string,
  ) {}

  write(steps: number): Program {
    const next = this.chain({ steps, depth: 0, end: () => this.result() });
    this.script('START', `<goto input="${PATH}">${next}</goto>`);
    return { files: this.files };
  }

  /** So many steps that lead to the end; gives the name of the first state. */
  private chain({ steps, depth, end }: { steps: number; depth: number; end: End }): string {
    if (steps === 0) return end();
    const next = this.chain({ steps: steps - 1, depth, end });
    const shallow = ['goto', 'goto', 'reset', 'delay'] as const;
    const deep = ['goto', 'call', 'function', 'fork', 'fork', 'ask', 'delay', 'reset'] as const;
    const kind = this.chance.pick<(typeof deep)[number] | (typeof shallow)[number]>(depth < DEEPEST ? deep : shallow);
    switch (kind) {
      case 'goto':
        return this.either(`<goto input="${PATH}">${next}</goto>`);
      case 'reset':
        return this.either(`<reset input="${PATH}">${next}</reset>`);
      case 'delay':
        return this.either(`<goto input="${PATH}" delay="0.${this.chance.between(1, 4)}s">${next}</goto>`);
      case 'ask':
        return this.either(`<ask next="${next}">${PATH}</ask>`);
      case 'fork':
        return this.fork(next, depth);
      default: {
        const callee = this.chain({ steps: this.chance.int(2), depth: depth + 1, end: () => this.result() });
        return this.either(`<${kind} return="${next}" input="${PATH}">${callee}</${kind}>`);
      }
    }
  }

  private fork(next: string, depth: number): string {
    const workers = Array.from({ length: this.chance.between(1, 3) }, (_, index) => {
      const first = this.chain({ steps: this.chance.int(3), depth: depth + 1, end: () => this.result() });
      return `<fork input="${PATH}.w${index + 1}">${first}</fork>`;
    });
    // Some are awaited at once, others by a later await, or by nobody.
    const goesOn = this.chance.is(0.7) ? this.awaits(next) : next;
    return this.either(`${workers.join('')}<goto input="${PATH}">${goesOn}</goto>`);
  }

  private awaits(next: string): string {
    const gathered = this.name();
    this.script(gathered, `<goto input="${PATH}">${next}</goto>`);
    const waiting = this.name();
    this.script(waiting, `<await next="${gathered}"/>`);
    return waiting;
  }

  private result(): string {
    return this.either(`<result>${PATH}</result>`);
  }

  private either(tags: string): string {
    const name = this.name();
    if (this.chance.is(0.6)) this.script(name, tags);
    else this.prompt(name, tags);
    return name;
  }

  private script(name: string, tags: string): void {
    const { effects, chance } = this;
    this.files[`${name}.sh`] = scriptState({ name, tags, effects, ms: chance.between(10, 150), retries: RETRIES });
  }

  private prompt(name: string, tags: string): void {
    const { effects, chance } = this;
    const usd = chance.between(10, 90) / 1000;
    this.files[`${name}.md`] = promptState({ name, tags, effects, ms: chance.between(10, 150), usd });
  }

  private name(): string {
    this.states += 1;
    return `S${this.states}`;
  }
}
