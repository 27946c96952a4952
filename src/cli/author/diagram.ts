// `raymond diagram`: draws a package as text, as a picture, or for other programs; with a run laid over it.
import { dirname, extname, join, resolve } from 'node:path';
import { dotOf, mermaidOf } from '../../analysis/diagram/languages.js';
import type { Diagram } from '../../analysis/diagram/parts.js';
import { textOf } from '../../analysis/diagram/text.js';
import { drawingOf, openDrawing, type DrawnPackage, type RunOnPackage } from '../../authoring/diagram.js';
import { ClientError } from '../../client/error.js';
import { findRun, turns } from '../../client/operations.js';
import { withAllForks } from '../../history/steps.js';
import { explainingWrites, isDirectory, writeFileAtomic } from '../../host/files.js';
import { findProject } from '../../client/project/project.js';
import { openForQuestion } from '../context.js';
import { EXIT } from '../exit.js';
import type { ConnectionFlags } from '../flags.js';
import type { Io } from '../io.js';

/** How a diagram is drawn. */
export type DiagramFormat = 'text' | 'mermaid' | 'dot' | 'svg' | 'html';

/** Flags of `diagram`. */
export interface DiagramFlags extends ConnectionFlags {
  readonly format?: DiagramFormat;
  readonly run?: string;
  readonly output?: string;
  readonly win?: boolean;
}

/** Draws a package, else the one of the run, else this folder; returns the exit code. */
export async function diagram(
  io: Io,
  { path, flags }: { readonly path: string | undefined; readonly flags: DiagramFlags },
): Promise<number> {
  const { cwd } = io;
  const { raymondDir } = await findProject(cwd);
  const run = flags.run === undefined ? undefined : await runOf(io, flags.run, flags);
  const drawn = await openDrawing(path ?? run?.scope ?? '.', {
    cwd,
    cacheDir: join(raymondDir, 'registry'),
    ...(flags.win === true ? { platform: 'windows' } : {}),
  });
  if (drawn.graph.states.size === 0)
    throw new ClientError('InvalidWorkflow', `${drawn.graph.source.path} has no states; name a workflow`);
  const drawing = drawingOf(drawn, run);
  for (const { kind, label } of drawing.nodes) if (kind === 'missing') io.say(`warning: there is no state "${label}"`);
  const text = await pictureOf(drawing, { drawn, format: formatOf(io, flags) });
  if (flags.output === undefined) await io.print(text);
  else {
    const file = resolve(cwd, flags.output);
    if (!(await isDirectory(dirname(file))))
      throw new ClientError('InvalidUsage', `there is no folder ${dirname(file)}; create it, or choose another file`);
    // A picture is meant to be shared.
    await explainingWrites(file, () => writeFileAtomic(file, `${text}\n`, 0o666));
  }
  return EXIT.completed;
}

async function runOf(io: Io, name: string, flags: DiagramFlags): Promise<RunOnPackage & { readonly scope: string }> {
  const context = await openForQuestion(io, { flags, runId: name });
  const { runId, agents, scope } = await findRun(context, { runId: name });
  return { agents, scope, turns: await withAllForks(await turns(context, { runId }), context.artifacts) };
}

const BY_EXTENSION: Readonly<Record<string, DiagramFormat>> = {
  '.svg': 'svg',
  '.html': 'html',
  '.htm': 'html',
  '.dot': 'dot',
  '.gv': 'dot',
  '.txt': 'text',
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
};

/**
 * The requested form, else that of the output's extension, else text on a terminal and a form for
 * programs without one.
 */
function formatOf({ stdout }: Io, { format, output }: DiagramFlags): DiagramFormat {
  if (format !== undefined) return format;
  if (output !== undefined) return BY_EXTENSION[extname(output).toLowerCase()] ?? 'mermaid';
  return stdout.isTTY === true ? 'text' : 'mermaid';
}

async function pictureOf(
  drawing: Diagram,
  { drawn, format }: { readonly drawn: DrawnPackage; readonly format: DiagramFormat },
): Promise<string> {
  switch (format) {
    case 'text':
      return textOf(drawing);
    case 'mermaid':
      return mermaidOf(drawing);
    case 'dot':
      return dotOf(drawing);
    case 'svg':
      return (await import('../../analysis/diagram/svg.js')).svgOf(drawing);
    case 'html': {
      const { htmlOf } = await import('../../analysis/diagram/html.js');
      return htmlOf(drawing, { textOf: drawn.textOf, description: drawn.description });
    }
  }
}
