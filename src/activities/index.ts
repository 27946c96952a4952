// The activities of a worker, bound to its workbench; worker code imports these, workflow code only their types.
import { lostHolders } from './leases.js';
import { findAgents, gatherResults, keepChapter, openArchive, readRecord, storeRecord } from './records.js';
import { lastPoll, place, pushOutput, saveWorkspace } from './place.js';
import { runPrompt } from './prompt.js';
import { runScript } from './script.js';
import type { Activities } from './types.js';
import type { Workbench } from './workbench.js';

/** Binds the activities to what they work with. */
export function createActivities(bench: Workbench): Activities {
  return {
    runPrompt: (request) => runPrompt(bench, request),
    runScript: (request) => runScript(bench, request),
    storeRecord: (json) => storeRecord(bench.artifacts, json),
    readRecord: (record) => readRecord(bench.artifacts, record),
    gatherResults: (gathering) => gatherResults(bench.artifacts, gathering),
    findAgents: (silent) => findAgents(bench.artifacts, silent),
    keepChapter: (request) => keepChapter(bench.artifacts, request),
    place: (request) => place(bench, request),
    saveWorkspace: (request) => saveWorkspace(bench, request),
    pushOutput: (request) => pushOutput(bench, request),
    lastPoll,
    openArchive: (request) => openArchive(bench.artifacts, request),
    lostHolders,
  };
}
