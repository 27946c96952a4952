import type { TurnReport, TurnRequest } from './types.js';
import type { Workbench } from './workbench.js';
export async function runPrompt(_bench: Workbench, _request: TurnRequest): Promise<TurnReport> {
  throw new Error('placeholder');
}
