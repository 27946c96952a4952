// `raymond convert SRC DST`: one form of a package becomes another.
import { join } from 'node:path';
import { convert as convertPackage } from '../../authoring/convert.js';
import { projectAt } from '../../project.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** What to convert, and how. */
export interface ConvertCall {
  readonly from: string;
  readonly to: string;
  readonly flags: ConvertFlags;
}

/** Flags of `convert`. */
export interface ConvertFlags {
  readonly without?: readonly string[];
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Converts; gives the exit code. */
export async function convert(io: Io, { from, to, flags }: ConvertCall): Promise<number> {
  const { cwd, say, show } = io;
  const { raymondDir } = await projectAt(cwd);
  const { json = false, ...how } = flags;
  const place = { cwd, cacheDir: join(raymondDir, 'registry') };
  const { files, warnings } = await convertPackage({ from, to, ...how }, place);
  for (const warning of warnings) say(`warning: ${warning}`);
  if (json) await printDocument(io, 'convert', { written: to, files: [...files], warnings: [...warnings] });
  else await show(`wrote ${to}: ${files.join(', ')}`);
  return 0;
}
