// A fleet as it stands in a data centre: hosts that share a Temporal server, a bucket and a repository, over a network, and no disk; and a desk
// from which it is operated. Must not disturb anything: the monkey does.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { Place } from '../support/cli.js';
import { noCutDisk } from '../support/cut-disk.js';
import { fakeWith } from '../support/fakes.js';
import { Host, placesOf, type Build } from './host.js';
import { Lan, mayMakeHosts } from './lan.js';
import { Relay } from './relay.js';
import { bucketAt, bucketConfig, bucketOn, KEYS, Origin, temporalAt, temporalOn, type Service } from './services.js';
import { noVersitygw } from '../support/versitygw.js';

/** Why there can be no fleet on this machine; undefined when there can. */
export function noFleet(): string | undefined {
  const noHosts = mayMakeHosts() ? undefined : 'network namespaces and mounts need root and iproute2';
  const reasons = [noHosts, noVersitygw(), noCutDisk()].filter((reason) => reason !== undefined);
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

const PROGRAM = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));
const QUEUE = 'fleet';
const HOSTS = ['h1', 'h2', 'h3'];
/** The ports at which hosts find the server and the bucket. */
const RELAYED = { temporal: 17_233, bucket: 17_070 };

/** What can be disturbed. */
export interface Machines {
  readonly hosts: readonly Host[];
  readonly temporal: Service;
  readonly bucket: Service;
  readonly origin: Origin;
  /** The ways of the hosts to the server and the bucket. */
  readonly ways: Readonly<Record<'temporal' | 'bucket', Relay>>;
}

/** What answers prompts on all hosts: the environment in which workers find it. */
type Claude = (lan: Lan, endings: (() => Promise<void>)[]) => Promise<Readonly<Record<string, string>>>;

/** All of it; everything runs when it is opened. */
export class Cluster {
  private constructor(
    /** What the hosts see at the same path. */
    readonly folder: string,
    readonly desk: Place,
    readonly machines: Machines,
  ) {}

  /** Opens one; what it consists of is gone when `endings`, the last first, are done. */
  static async open(endings: (() => Promise<void>)[], claude: Claude = fakeClaude): Promise<Cluster> {
    const desk = await Place.at({}, KEYS);
    const folder = join(desk.cwd, 'machines');
    await share(folder, endings);
    const lan = await Lan.open();
    endings.push(() => lan.close());
    const services = await serve(lan, { folder: join(folder, 'data'), endings });
    await desk.write('.raymond/config.toml', configFor(folder, bucketAt(services.bucket.link)));
    const env = await claude(lan, endings);
    const address = `${lan.address}:${RELAYED.temporal}`;
    const config = configFor(folder, `${lan.address}:${RELAYED.bucket}`);
    const build = buildFor(folder, { config, env, address });
    const hosts: Host[] = [];
    for (const name of HOSTS) {
      const host = await Host.make(name, await lan.plug(), build);
      endings.push(() => host.remove());
      hosts.push(host);
      await host.powerOn();
    }
    return new Cluster(folder, desk, { ...services, hosts });
  }

  /** What a command needs to speak with the fleet. */
  get flags(): readonly string[] {
    return ['--address', temporalAt(this.machines.temporal.link)];
  }

  /** What `start` needs besides. */
  get startFlags(): readonly string[] {
    return [...this.flags, '--task-queue', QUEUE, '--repo', this.machines.origin.url, '--ref', 'main', '--detach'];
  }

  /** Writes a workflow at the desk, where no host sees it; gives its path. */
  async install(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const path = join(placesOf(this.folder).flows, name);
    await mkdir(path, { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text);
    return path;
  }
}

type Services = Omit<Machines, 'hosts'>;

async function serve(
  lan: Lan,
  { folder, endings }: { readonly folder: string; readonly endings: (() => Promise<void>)[] },
): Promise<Services> {
  await mkdir(folder, { recursive: true });
  const temporal = await temporalOn(await lan.plug(), folder);
  const bucket = await bucketOn(await lan.plug(), folder);
  const origin = await Origin.on(await lan.plug(), folder);
  for (const service of [temporal, bucket, origin.service]) {
    endings.push(() => service.kill());
    await service.start();
  }
  const ways = {
    temporal: await Relay.open(`${lan.address}:${RELAYED.temporal}`, temporalAt(temporal.link)),
    bucket: await Relay.open(`${lan.address}:${RELAYED.bucket}`, bucketAt(bucket.link)),
  };
  endings.push(
    () => ways.temporal.close(),
    () => ways.bucket.close(),
  );
  return { temporal, bucket, origin, ways };
}

/** Lets machines that were started before see that a disk was taken out: else it stays in use for ever. */
async function share(folder: string, endings: (() => Promise<void>)[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await execa('mount', ['--bind', folder, folder]);
  await execa('mount', ['--make-shared', folder]);
  endings.push(async () => void (await execa('umount', ['--lazy', folder])));
}

/** The same for hosts and desk but for where the bucket is found. */
function configFor(folder: string, bucket: string): string {
  const root = join(placesOf(folder).disk, 'workspaces');
  const { address, endpoint } = bucketConfig(bucket);
  const keys = { workspace: 'git', on_host_loss: 'move', workspace_root: root, artifact_store: address };
  const lines = Object.entries({ ...keys, s3_endpoint: endpoint }).map(([key, value]) => `${key} = "${value}"\n`);
  return `[raymond]\n${lines.join('')}`;
}

async function fakeClaude(): Promise<Readonly<Record<string, string>>> {
  const { CLAUDE_CONFIG_DIR: _shared, ...env } = (await fakeWith()).env;
  return env;
}

function buildFor(
  folder: string,
  { config, address, env }: { readonly address: string } & Pick<Build, 'config' | 'env'>,
): Build {
  const served = ['--address', address, '--task-queue', QUEUE, '--drain', '5'];
  return {
    folder,
    config,
    worker: [process.execPath, PROGRAM, 'worker', ...served],
    // The test runner has these for itself.
    env: { ...env, ...KEYS, NODE_OPTIONS: '', NODE_ENV: '' },
  };
}
