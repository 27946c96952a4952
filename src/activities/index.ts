// The activities of a worker, bound to its workbench; worker code imports these, workflow code only their types.
import { withPatience } from './attempt/attempt-store.js';
import { lostHolders } from './slots/leases.js';
import { findArchived, openArchive } from './archive.js';
import { findAgents, gatherResults, keepChapter, readRecord, storeRecord } from './records.js';
import { lastPoll, place, pushOutput, saveWorkspace } from './place.js';
import { runPrompt } from './turn/prompt.js';
import { runScript } from './turn/script.js';
import type { Activities } from './types.js';
import { benchOf, type Workbench } from './workbench.js';

/** Binds the activities to what they work with. */
export function createActivities(bench: Workbench): Activities {
  return {
    runPrompt: async (request) => runPrompt(await benchOf(bench, request.runId), request),
    runScript: async (request) => runScript(await benchOf(bench, request.runId), request),
    storeRecord: (json) => withPatience(bench, (store) => storeRecord(store, json)),
    readRecord: (record) => withPatience(bench, (store) => readRecord(store, record)),
    gatherResults: (gathering) => withPatience(bench, (store) => gatherResults(store, gathering)),
    findAgents: (silent) => withPatience(bench, (store) => findAgents(store, silent)),
    keepChapter: (request) => withPatience(bench, (store) => keepChapter(store, request)),
    place: async (request) => place(await benchOf(bench, request.runId), request),
    saveWorkspace: async (request) => saveWorkspace(await benchOf(bench, request.runId), request),
    pushOutput: async (request) => pushOutput(await benchOf(bench, request.runId), request),
    lastPoll,
    openArchive: (request) => withPatience(bench, (store) => openArchive(store, request)),
    findArchived: (request) => withPatience(bench, (store) => findArchived(store, request)),
    lostHolders,
  };
}
