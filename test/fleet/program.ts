// A workflow of many agents, made from a seed: prompts and scripts that write files, call, ask and fork, some of them in workspaces of their own.
// Its results say which states were visited, as those of test/chaos do. Runs nothing.
import { chanceOf, type Chance } from '../trials/random.js';
import { PATH, promptState, scriptState } from '../trials/states.js';

const MEMBERS = [2, 2, 2, 2, 2, 1, 1];

/** How many agents a program with so many teams has; 7 = 20 agents, the most. */
export function agentsIn(teams: number): number {
  return MEMBERS.slice(0, teams).reduce((sum, members) => sum + 1 + members, 1);
}

/** What a program is made from. */
export interface Making {
  readonly seed: number;
  readonly teams: number;
  /** Steps of an agent between its begin and its end. */
  readonly steps: number;
  readonly effects: string;
}

/** The files of its folder. The first state is START.sh. */
export function programOf(making: Making): Readonly<Record<string, string>> {
  return new Author(making).write();
}

class Author {
  private readonly files: Record<string, string> = {};
  private readonly chance: Chance;
  private states = 0;

  constructor(private readonly making: Making) {
    this.chance = chanceOf(making.seed);
  }

  write(): Readonly<Record<string, string>> {
    const teams = MEMBERS.slice(0, this.making.teams).map((members, index) => {
      const first = this.chain(this.making.steps, this.forks({ members, alone: index % 2 === 0 }));
      return this.fork(first, `t${index + 1}`, index % 2 === 0);
    });
    this.script('START', `${teams.join('')}<goto input="${PATH}">${this.gather(this.end())}</goto>`);
    return this.files;
  }

  /** A state that forks the members of a team and waits for them. */
  private forks({ members, alone }: { readonly members: number; readonly alone: boolean }): string {
    const forks = Array.from({ length: members }, (_, index) =>
      this.fork(this.chain(this.making.steps, this.end()), `m${index + 1}`, alone && index === 0),
    );
    return this.state(`${forks.join('')}<goto input="${PATH}">${this.gather(this.end())}</goto>`);
  }

  private fork(first: string, name: string, alone: boolean): string {
    return `<fork input="${PATH}.${name}"${alone ? ' cd="new"' : ''}>${first}</fork>`;
  }

  private gather(next: string): string {
    const gathered = this.script(this.name(), `<goto input="${PATH}">${next}</goto>`);
    return this.script(this.name(), `<await next="${gathered}"/>`);
  }

  private chain(steps: number, end: string): string {
    if (steps === 0) return end;
    const next = this.chain(steps - 1, end);
    switch (this.chance.pick(['goto', 'goto', 'goto', 'call', 'function', 'ask'] as const)) {
      case 'call':
        return this.state(`<call return="${next}" input="${PATH}">${this.end()}</call>`);
      case 'function':
        return this.state(`<function return="${next}" input="${PATH}">${this.end()}</function>`);
      case 'ask':
        return this.state(`<ask next="${next}">${PATH}</ask>`);
      default:
        return this.state(`<goto input="${PATH}">${next}</goto>`);
    }
  }

  private end(): string {
    return this.state(`<result>${PATH}</result>`);
  }

  /** Two of three are prompts. */
  private state(tags: string): string {
    return this.chance.is(0.66) ? this.prompt(tags) : this.script(this.name(), tags);
  }

  private script(name: string, tags: string): string {
    const ms = this.chance.between(100, 600);
    this.files[`${name}.sh`] = scriptState({ name, tags, effects: this.making.effects, ms, file: name });
    return name;
  }

  private prompt(tags: string): string {
    const name = this.name();
    const [ms, usd] = [this.chance.between(200, 1500), this.chance.between(10, 90) / 1000];
    this.files[`${name}.md`] = promptState({ name, tags, effects: this.making.effects, ms, usd, file: name });
    return name;
  }

  private name(): string {
    this.states += 1;
    return `S${this.states}`;
  }
}
