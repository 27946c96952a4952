// The activities of a worker, bound to its context; worker code imports these, workflow code only their types.
import { withStoreRetries } from './attempt/attempt-store.js';
import { lostHolders } from './slots/leases.js';
import { findArchived, openArchive } from './archive.js';
import { findAgents, gatherResults, keepChapter, readRecord, storeRecord } from './records.js';
import { lastPoll, place, pushOutput, saveWorkspace } from './workspace.js';
import { runPrompt } from './turn/prompt.js';
import { runScript } from './turn/script.js';
import type { Activities } from '../contract/turns.js';
import { contextOfRun, type WorkerContext } from './worker-context.js';

/** Binds the activities to their worker's context. */
export function createActivities(worker: WorkerContext): Activities {
  return {
    runPrompt: async (request) => runPrompt(await contextOfRun(worker, request.runId), request),
    runScript: async (request) => runScript(await contextOfRun(worker, request.runId), request),
    storeRecord: (json) => withStoreRetries(worker, (store) => storeRecord(store, json)),
    readRecord: (record) => withStoreRetries(worker, (store) => readRecord(store, record)),
    gatherResults: (gathering) => withStoreRetries(worker, (store) => gatherResults(store, gathering)),
    findAgents: (silent) => withStoreRetries(worker, (store) => findAgents(store, silent)),
    keepChapter: (request) => withStoreRetries(worker, (store) => keepChapter(store, request)),
    place: async (request) => place(await contextOfRun(worker, request.runId), request),
    saveWorkspace: async (request) => saveWorkspace(await contextOfRun(worker, request.runId), request),
    pushOutput: async (request) => pushOutput(await contextOfRun(worker, request.runId), request),
    lastPoll,
    openArchive: (request) => withStoreRetries(worker, (store) => openArchive(store, request)),
    findArchived: (request) => withStoreRetries(worker, (store) => findArchived(store, request)),
    lostHolders,
  };
}
