// The activities of a worker, bound to its workbench; worker code imports these, workflow code only their types.
import { withPatience } from './attempt/attempt-store.js';
import { lostHolders } from './slots/leases.js';
import { findArchived, openArchive } from './archive.js';
import { findAgents, gatherResults, keepChapter, readRecord, storeRecord } from './records.js';
import { lastPoll, place, pushOutput, saveWorkspace } from './place.js';
import { runPrompt } from './turn/prompt.js';
import { runScript } from './turn/script.js';
import type { Activities } from './types.js';
import type { Workbench } from './workbench.js';

/** Binds the activities to what they work with. */
export function createActivities(bench: Workbench): Activities {
  return {
    runPrompt: (request) => runPrompt(bench, request),
    runScript: (request) => runScript(bench, request),
    storeRecord: (json) => withPatience(bench, (store) => storeRecord(store, json)),
    readRecord: (record) => withPatience(bench, (store) => readRecord(store, record)),
    gatherResults: (gathering) => withPatience(bench, (store) => gatherResults(store, gathering)),
    findAgents: (silent) => withPatience(bench, (store) => findAgents(store, silent)),
    keepChapter: (request) => withPatience(bench, (store) => keepChapter(store, request)),
    place: (request) => place(bench, request),
    saveWorkspace: (request) => saveWorkspace(bench, request),
    pushOutput: (request) => pushOutput(bench, request),
    lastPoll,
    openArchive: (request) => withPatience(bench, (store) => openArchive(store, request)),
    findArchived: (request) => withPatience(bench, (store) => findArchived(store, request)),
    lostHolders,
  };
}
