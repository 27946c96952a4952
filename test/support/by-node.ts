// Packages as Node loads them, for tests that hand their values to the program or get them from it: their classes are the program's own.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type * as activity from '@temporalio/activity';
import type * as client from '@temporalio/client';
import type * as common from '@temporalio/common';
import type proto from '@temporalio/proto';
import type * as testing from '@temporalio/testing';
import type * as worker from '@temporalio/worker';
import type * as workflow from '@temporalio/workflow';

interface Packages {
  readonly '@temporalio/activity': typeof activity;
  readonly '@temporalio/client': typeof client;
  readonly '@temporalio/common': typeof common;
  readonly '@temporalio/proto': { readonly default: typeof proto };
  readonly '@temporalio/testing': typeof testing;
  readonly '@temporalio/worker': typeof worker;
  readonly '@temporalio/workflow': typeof workflow;
  /** The process whose environment the program sees: that of a test is a copy. */
  readonly 'node:process': { readonly default: NodeJS.Process };
}

declare const importByNode: (address: string) => Promise<unknown>;

const require = createRequire(import.meta.url);

/** The module of a package. */
export async function byNode<Name extends keyof Packages>(name: Name): Promise<Packages[Name]> {
  const address = name.startsWith('node:') ? name : pathToFileURL(require.resolve(name)).href;
  return (await importByNode(address)) as Packages[Name];
}
