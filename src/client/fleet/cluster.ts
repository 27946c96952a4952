// What Raymond needs from a cluster: registered search attributes, and workers that poll a queue. A cluster without the
// attributes only shows less.
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import proto from '@temporalio/proto';
import { msOf } from '../../history/events.js';
import { SEARCH_ATTRIBUTES } from '../../protocol/ids.js';
import { isNotFound, type ClientLink, type Link } from '../connect.js';

const {
  INDEXED_VALUE_TYPE_KEYWORD: Keyword,
  INDEXED_VALUE_TYPE_DOUBLE: Double,
  INDEXED_VALUE_TYPE_KEYWORD_LIST: KeywordList,
} = proto.temporal.api.enums.v1.IndexedValueType;
const TYPES = { Keyword, Double, KeywordList };

const ACCEPT_EVERY_MS = 250;
const ACCEPT_TRIES = 120;

/** Our attributes in the namespace; none without permission to list them. */
export async function registeredAttributes(link: ClientLink): Promise<readonly string[]> {
  try {
    const { customAttributes } = await listAttributes(link);
    return Object.keys(SEARCH_ATTRIBUTES).filter((name) => Object.hasOwn(customAttributes, name));
  } catch {
    // Some clusters forbid the operator service to clients: runs then start without attributes.
    return [];
  }
}

/** Registers the missing ones; returns their names. */
export async function registerAttributes(link: Link): Promise<readonly string[]> {
  const { customAttributes } = await listAttributes(link);
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !Object.hasOwn(customAttributes, name));
  if (missing.length === 0) return [];
  await link.connection.operatorService.addSearchAttributes({
    namespace: link.namespace,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, TYPES[type]])),
  });
  await accepted(link);
  return missing.map(([name]) => name);
}

/** A server takes seconds to accept a new attribute: until then a start that sets it fails. */
async function accepted({ client }: Link): Promise<void> {
  const query = Object.keys(SEARCH_ATTRIBUTES)
    .map((name) => `${name} IS NULL`)
    .join(' AND ');
  for (let tries = 0; ; tries += 1) {
    try {
      await client.workflow.count(query);
      return;
    } catch (error) {
      if (tries === ACCEPT_TRIES) throw error;
      await delay(ACCEPT_EVERY_MS);
    }
  }
}

function listAttributes({
  client: { connection },
  namespace,
}: ClientLink): Promise<proto.temporal.api.operatorservice.v1.ListSearchAttributesResponse> {
  return connection.operatorService.listSearchAttributes({ namespace });
}

/** The version of the cluster's server, and whether it has the namespace. */
export async function describeCluster({ connection, namespace }: Link): Promise<{
  readonly serverVersion: string;
  readonly hasNamespace: boolean;
}> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return { serverVersion, hasNamespace: true };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { serverVersion, hasNamespace: false };
  }
}

/** A queue without work: a poll of it only returns the server's time. */
const CLOCK_QUEUE = 'raymond-clock';
const CLOCK_TRIES = 20;
const CLOCK_EVERY_MS = 50;

/** Servers reject polls shorter than 2 s, and answer a second before the end. */
const CLOCK_POLL_MS = 3000;

/**
 * By how many milliseconds, at least, this host's clock is ahead of the server's; undefined when the server does not
 * say.
 */
export async function clockSkew({ connection, namespace }: Link): Promise<number | undefined> {
  const identity = `clock ${process.pid}@${hostname()} ${Date.now()}`;
  const queue = { namespace, taskQueue: { name: CLOCK_QUEUE } };
  const before = Date.now();
  const poll = (): Promise<unknown> => connection.workflowService.pollActivityTaskQueue({ ...queue, identity });
  // Its end is not awaited: the connection may close first.
  connection.withDeadline(before + CLOCK_POLL_MS, poll).catch(() => undefined);
  for (let tries = 0; tries < CLOCK_TRIES; tries += 1) {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      ...queue,
      taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    });
    const seen = pollers.find((poller) => poller.identity === identity);
    if (seen?.lastAccessTime) return skewOf(msOf(seen.lastAccessTime), { before, after: Date.now() });
    await delay(CLOCK_EVERY_MS);
  }
  return undefined;
}

/** The server read its clock between our two readings. */
export function skewOf(server: number, { before, after }: { readonly before: number; readonly after: number }): number {
  return Math.max(0, before - server) - Math.max(0, server - after);
}

/** True when a worker polled the queue recently. */
export async function hasWorkers({ client, namespace }: ClientLink, taskQueue: string): Promise<boolean> {
  const { pollers } = await client.connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  return pollers.length > 0;
}
