// `raymond serve`: an HTTP API with live events, and the page that stands on it, until somebody stops it. It serves the runs that are started
// by it, too.
import { resolve } from 'node:path';
import type { RunView } from '../../client/look/runs.js';
import { ClientError } from '../../client/error.js';
import { packageFacts } from '../../host/self.js';
import { findProject } from '../../project.js';
import { defined } from '../../protocol/text.js';
import { openServer, type OpenServer } from '../../serve/server.js';
import { contextOf, settingsOf, type CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import type { ConnectionFlags } from '../flags.js';
import { Hooks } from '../hooks/hooks.js';
import { hearSignals, type Io } from '../io.js';

/** Flags of `serve`. */
export interface ServeFlags extends ConnectionFlags {
  readonly host?: string;
  readonly port?: number;
  readonly origin?: readonly string[];
  readonly tokenFile?: string;
  readonly drain?: number;
}

/** So many seconds turns may go on after a signal. */
const DRAIN_SECONDS = 30;

/** Serves until SIGINT or SIGTERM; a second signal ends it at once. Gives the exit code. */
export async function serve(io: Io, flags: ServeFlags): Promise<number> {
  const project = await findProject(io.cwd);
  const origins = (flags.origin ?? []).map(originOf);
  const context = await contextOf(project, { io, flags });
  const raymond = { ...context, caller: { cwd: project.root, env: io.env } };
  const hooks = new HooksOfRuns(context);
  const server = await openServer({
    raymond,
    settings: settingsOf(project),
    host: flags.host ?? '127.0.0.1',
    origins,
    version: packageFacts().version,
    report: io.say,
    onView: (view) => hooks.look(view),
    ...defined({
      port: flags.port,
      tokenFile: flags.tokenFile === undefined ? undefined : resolve(io.cwd, flags.tokenFile),
    }),
  });
  const seconds = flags.drain ?? project.config.drain ?? DRAIN_SECONDS;
  return await untilStopped(io, { server, hooks, seconds });
}

async function untilStopped(
  io: Io,
  { server, hooks, seconds }: { readonly server: OpenServer; readonly hooks: HooksOfRuns; readonly seconds: number },
): Promise<number> {
  let stop: () => void;
  const stopped = new Promise<void>((asked) => (stop = asked));
  const interruption = hearSignals(io, { names: ['SIGINT', 'SIGTERM', 'SIGHUP'], asked: () => stop() });
  try {
    await io.print(server.token === undefined ? `${server.origin}/` : `${server.origin}/#token=${server.token}`);
    await Promise.race([stopped, server.broken]);
    io.say(
      `stopping after the current turns, in ${seconds} s at the latest; what has not ended goes on at the next start`,
    );
    const isClosed = await Promise.race([
      server.close(seconds).then(() => true),
      interruption.insisted.then(() => false),
    ]);
    if (isClosed) await hooks.settle();
    else io.hurry();
    return isClosed ? EXIT.completed : EXIT.interrupted;
  } catch (error) {
    io.hurry();
    throw error;
  } finally {
    interruption.off();
  }
}

/** The hooks of all runs that are served here. */
class HooksOfRuns {
  private readonly byRun = new Map<string, Hooks>();

  constructor(private readonly context: CommandContext) {}

  look(view: RunView): void {
    const { runId, open } = view;
    const hooks = this.byRun.get(runId) ?? new Hooks(this.context, { runId, warn: this.context.io.say });
    this.byRun.set(runId, hooks);
    hooks.look(view);
    if (open) return;
    this.byRun.delete(runId);
    void hooks.settle();
  }

  async settle(): Promise<void> {
    await Promise.all([...this.byRun.values()].map((hooks) => hooks.settle()));
  }
}

/** An address without a path, as browsers name the origin of a page. Throws `InvalidUsage`. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin;
  throw new ClientError('InvalidUsage', `--origin: expected an address such as https://raymond.example, not "${text}"`);
}
