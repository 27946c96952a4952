// A network of this machine's own (root, Linux): a bridge, and a network namespace for each host, whose cable can be pulled and made slow.
// Must not know what runs on the hosts.
import { execFileSync } from 'node:child_process';
import { execa, type Options, type ResultPromise } from 'execa';

/** True where namespaces, bridges and mounts may be made. */
export function mayMakeHosts(): boolean {
  try {
    execFileSync('ip', ['link', 'add', probeName(), 'type', 'bridge'], { stdio: 'ignore' });
    execFileSync('ip', ['link', 'del', probeName()], { stdio: 'ignore' });
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function probeName(): string {
  return `rp${process.pid}`;
}

/** A bridge with hosts on it. This machine is the first of them. */
export class Lan {
  private readonly links: Link[] = [];

  private constructor(
    private readonly bridge: string,
    private readonly subnet: string,
  ) {}

  /** A new one; `close` removes it. */
  static async open(): Promise<Lan> {
    const id = process.pid % 10_000;
    const lan = new Lan(`rb${id}`, `10.${100 + (id % 100)}.${Math.floor(id / 100)}`);
    await ip('link', 'add', lan.bridge, 'type', 'bridge');
    await ip('addr', 'add', `${lan.subnet}.1/24`, 'dev', lan.bridge);
    await ip('link', 'set', lan.bridge, 'up');
    return lan;
  }

  /** The address of this machine on it. */
  get address(): string {
    return `${this.subnet}.1`;
  }

  /** One more machine on the network. */
  async plug(): Promise<Link> {
    const number = this.links.length + 2;
    const [namespace, cable] = [`${this.bridge}-${number}`, `${this.bridge}v${number}`];
    const link = new Link(namespace, cable, `${this.subnet}.${number}`);
    this.links.push(link);
    await ip('netns', 'add', namespace);
    await ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    await ip('link', 'set', cable, 'master', this.bridge, 'up');
    await ip('-n', namespace, 'addr', 'add', `${link.address}/24`, 'dev', 'eth0');
    await ip('-n', namespace, 'link', 'set', 'lo', 'up');
    await ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    return link;
  }

  /** Removes all of it; what ran on its machines must have ended. */
  async close(): Promise<void> {
    for (const link of this.links.splice(0)) await link.remove();
    await ip('link', 'del', this.bridge);
  }
}

/** A machine's place on the network. */
export class Link {
  constructor(
    readonly namespace: string,
    private readonly cable: string,
    readonly address: string,
  ) {}

  /** Starts a program that sees this machine's network. */
  begin(words: readonly string[], options: Options = {}): ResultPromise {
    return execa('ip', ['netns', 'exec', this.namespace, ...words], { reject: false, ...options } as Options);
  }

  /** Pulls the cable. */
  async cut(): Promise<void> {
    await ip('link', 'set', this.cable, 'down');
  }

  /** Removes the machine. */
  async remove(): Promise<void> {
    // With its namespace the cable would go later, and another network of this process could not be built yet.
    await ip('link', 'del', this.cable).catch(() => undefined);
    await ip('netns', 'del', this.namespace).catch(() => undefined);
  }

  /** Plugs it in again. */
  async heal(): Promise<void> {
    await ip('link', 'set', this.cable, 'up');
  }

  /** Lets so few bits pass each second, both ways. */
  async slow(rate: string): Promise<void> {
    const limits = ['root', 'tbf', 'rate', rate, 'burst', '32kbit', 'latency', '400ms'];
    await execa('tc', ['qdisc', 'add', 'dev', this.cable, ...limits]);
    await execa('ip', ['netns', 'exec', this.namespace, 'tc', 'qdisc', 'add', 'dev', 'eth0', ...limits]);
  }

  /** As fast as before. */
  async hasten(): Promise<void> {
    await execa('tc', ['qdisc', 'del', 'dev', this.cable, 'root']);
    await execa('ip', ['netns', 'exec', this.namespace, 'tc', 'qdisc', 'del', 'dev', 'eth0', 'root']);
  }
}

async function ip(...words: readonly string[]): Promise<void> {
  await execa('ip', words);
}
