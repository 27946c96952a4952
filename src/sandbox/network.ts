// The network of a sandboxed turn: a proxy on this host that lets through only the hosts of its policy, and a Unix
// socket as the only way to it. Inside, `socat` gives programs the proxy on the loopback interface of the sandbox.
import type dns from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, connect, createServer, isIP, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { coversHost } from '../protocol/sandbox.js';
import { messageOf } from '../protocol/text.js';
import type { BindMount } from './mounts.js';
import { Denials, listenAt } from './sockets.js';

/** The name of the socket outside, in the turn's own folder, and its path inside. */
const NETWORK_SOCKET = 'network.sock';
const INSIDE = '/tmp/.raymond-network.sock';
const PROXY = 'http://127.0.0.1:3128';

/** A proxy that listens. */
interface Network {
  /** Closes it; returns what was denied, each a sentence. */
  close(): Promise<readonly string[]>;
}

/** Lets a turn reach hosts that match one of the patterns. The folder is one that only this user may enter. */
export async function startNetwork(folder: string, allowed: readonly string[]): Promise<Network> {
  // Loaded for turns that need it: a worker begins without.
  const { RequestError, Server } = await import('proxy-chain');
  const denials = new Denials();
  const prepareRequestFunction = async ({ hostname }: { readonly hostname: string }): Promise<Pinned> => {
    const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
    const found = await addressesOf(host, allowed);
    if (typeof found !== 'string') return { dnsLookup: pinned(found) };
    denials.add(`network: ${host.slice(0, 200)} ${found}`);
    throw new RequestError(`raymond: ${host} ${found}`, 403);
  };
  const proxy = new Server({ host: '127.0.0.1', port: 0, prepareRequestFunction });
  await proxy.listen();
  // The proxy serves only TCP.
  const bridge = createServer((inside) => {
    const outside = connect(proxy.port, '127.0.0.1');
    void pipeline(inside, outside, inside).catch(() => undefined);
  });
  const stop = await listenAt(bridge, { folder, name: NETWORK_SOCKET });
  return {
    close: async () => {
      // The end of the proxy's connections ends those of the bridge.
      await Promise.all([stop(), proxy.close(true)]);
      return denials.all;
    },
  };
}

/** The addresses of a host that a turn may reach, or why it may not. */
async function addressesOf(host: string, allowed: readonly string[]): Promise<readonly LookupAddress[] | string> {
  const patterns = allowed.filter((pattern) => coversHost(pattern, host));
  if (patterns.length === 0) return 'is not in the network list of the sandbox';
  // What is listed as it is may be private; a wildcard leads to public hosts only.
  const isNamed = patterns.some((pattern) => pattern.toLowerCase() === host);
  const found = await lookup(host, { all: true }).catch((error: unknown) => messageOf(error));
  if (typeof found === 'string') return `is not found: ${found}`;
  const isThisHost = isIP(host) > 0 || host === 'localhost';
  const refused = isNamed ? LOCAL : PRIVATE;
  const wrong = isNamed && isThisHost ? undefined : found.find(({ address }) => isIn(refused, address));
  return wrong === undefined ? found : `leads to ${wrong.address}, which is not public`;
}

interface Pinned {
  readonly dnsLookup: typeof dns.lookup;
}

/** Answers with what was checked: a second look could find another address. */
function pinned(found: readonly LookupAddress[]): typeof dns.lookup {
  const answer = (_host: string, { all }: dns.LookupOptions, done: (...result: readonly unknown[]) => void): void => {
    const [first] = found;
    if (all === true) done(null, found);
    else done(null, first?.address, first?.family);
  };
  return answer as typeof dns.lookup;
}

/** This host, and the metadata of a cloud: not even a name that is listed leads there. */
const LOCAL_RANGES = ['127.0.0.0/8', '0.0.0.0/8', '169.254.0.0/16', '::1/128', '::/128', 'fe80::/10'];
const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', '224.0.0.0/3'];
const LOCAL = blocked(LOCAL_RANGES);
const PRIVATE = blocked([...LOCAL_RANGES, ...PRIVATE_RANGES, 'ff00::/8']);

function blocked(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** An IPv4 address in the form of IPv6 counts as what it is. */
function isIn(list: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}

/** Starts the bridge inside, waits until it listens, and becomes the program of the turn. */
const BRIDGE = [
  `socat TCP-LISTEN:3128,bind=127.0.0.1,fork,reuseaddr,max-children=64 UNIX-CONNECT:${INSIDE} </dev/null >/dev/null 2>&1 &`,
  'for _ in $(seq 200); do (exec 3<>/dev/tcp/127.0.0.1/3128) 2>/dev/null && break; sleep 0.01; done',
  'exec "$@"',
].join('\n');

/** The command that starts a program with the bridge. */
export const BRIDGED = ['bash', '-c', BRIDGE, 'bash'] as const;

/** The network of a turn as it is inside: the socket, and the variables by which programs find the proxy. */
interface NetworkInside {
  /** Where the socket is outside. */
  readonly folder: string;
  readonly socket: BindMount;
  readonly env: Readonly<Record<string, string>>;
}

/** The network that has its socket in this folder. */
export function networkInside(folder: string): NetworkInside {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  return {
    folder,
    socket: { source: join(folder, NETWORK_SOCKET), path: INSIDE },
    env: Object.fromEntries(names.map((name) => [name, PROXY])),
  };
}
