// Schedules as tests make and ask them: the commands of a fleet's desk.
import { expect } from '@jest/globals';
import { DOCUMENTS, type DocumentName, type DocumentOf } from '../../src/client/documents/documents.js';
import type { Fleet } from './fleet.js';

/** Never due while the tests go on. */
export const SELDOM = ['--cron', '30 2 29 2 *'];

/** Where schedules are made. */
export class Desk {
  constructor(private readonly fleet: Fleet) {}

  /** What a command prints as JSON. */
  async document<Name extends DocumentName>(name: Name, ...words: readonly string[]): Promise<DocumentOf<Name>> {
    const { stdout, stderr, exitCode } = await this.fleet.call([...name.split(' '), ...words, '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr });
    return DOCUMENTS[name].parse(JSON.parse(stdout)) as DocumentOf<Name>;
  }

  /** What a command of `schedule` says when it refuses. */
  async refused(...words: readonly string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await this.fleet.call(['schedule', ...words]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' });
    return stderr;
  }

  /** The words that make a schedule of a workflow of the workshop. */
  create(name: string, workflow: string, ...more: readonly string[]): readonly string[] {
    return ['schedule', ...this.fleet.startOf(workflow, name).with(0, 'create').flatMap(named(name)), ...more];
  }
}

/** The words of a start without its id, which is the name of the schedule. */
function named(name: string): (word: string, at: number) => readonly string[] {
  return (word, at) => (at === 1 ? [name, word] : at === 2 || at === 3 ? [] : [word]);
}
