// The activities of a worker, bound to its workbench; worker code imports these, workflow code only their types.
import { gatherResults, agentRecords } from './records.js';
import { runPrompt } from './prompt.js';
import { runScript } from './script.js';
import type { Activities } from './types.js';
import type { Workbench } from './workbench.js';

/** Binds the activities to what they work with. */
export function createActivities(bench: Workbench): Activities {
  return {
    runPrompt: (request) => runPrompt(bench, request),
    runScript: (request) => runScript(bench, request),
    gatherResults: (gathering) => gatherResults(bench.artifacts, gathering),
    agentRecords,
    storeRecord: async (json) => await bench.artifacts.put(Buffer.from(json)),
  };
}
