// The sandbox of a turn, as data: the requests of config, run, package and state, merged so that the strictest
// wins. The owner of the host (config, flags) grants; a package may ask for less, never for more.

/** The kinds, from the loosest to the strictest. */
export const SANDBOX_KINDS = ['none', 'process', 'container'] as const;

/** One of them. */
export type SandboxKind = (typeof SANDBOX_KINDS)[number];

/** The lists of a policy: what a turn may do beyond the defaults. */
const GRANTS = ['read', 'write', 'network', 'env'] as const;

type Grant = (typeof GRANTS)[number];
type Grants = Readonly<Record<Grant, readonly string[]>>;

/** The limits of a turn: bytes of memory, processes, seconds of CPU time, bytes of one file, bytes that it writes. */
const SANDBOX_LIMITS = ['memory', 'processes', 'cpu', 'files', 'disk'] as const;

/** What counts where the owner of the host sets no limit: enough for builds, too little for a fork bomb. */
const DEFAULT_LIMITS: SandboxLimits = { processes: 4096 };

/** The limits that a place names. */
export type SandboxLimits = { readonly [K in (typeof SANDBOX_LIMITS)[number]]?: number };

/** What one place asks for; absent = nothing. */
export interface SandboxRequest extends Partial<Grants>, SandboxLimits {
  readonly kind?: SandboxKind;
  /** The name of a profile of the config. */
  readonly profile?: string;
  /** The image of a container. */
  readonly image?: string;
}

/** What a run asks for, fixed at its start: by its starter's flags and config, and by its package's manifest. */
export interface RunSandbox {
  readonly owner?: SandboxRequest;
  readonly package?: SandboxRequest;
}

/** What a turn gets. */
export interface SandboxPolicy extends Grants, SandboxLimits {
  readonly kind: Exclude<SandboxKind, 'none'>;
  readonly image?: string;
}

/** Who asks: the config of the worker, the run, its package's manifest, the state. */
interface SandboxRequests {
  readonly worker?: SandboxRequest | undefined;
  readonly run?: SandboxRequest | undefined;
  readonly package?: SandboxRequest | undefined;
  readonly state?: SandboxRequest | undefined;
  /** The profiles of the worker's config. */
  readonly profiles?: Readonly<Record<string, SandboxRequest>> | undefined;
}

/** The policy of a turn (absent = no sandbox), and a sentence for everything that was asked for and is not given. */
interface MergedSandbox {
  readonly policy?: SandboxPolicy;
  readonly refused: readonly string[];
}

/** Merges all requests. A profile that the config does not have grants nothing, and is reported. */
export function mergeSandbox({ worker, run, package: manifest, state, profiles = {} }: SandboxRequests): MergedSandbox {
  const all = [worker, run, manifest, state].filter((request) => request !== undefined);
  const kind = strictest(all.map(({ kind: asked }) => asked));
  if (kind === 'none') return { refused: [] };
  const refused: string[] = [];
  const named = all.flatMap(({ profile }) => (profile === undefined ? [] : [profile]));
  const known = named.filter((name) => Object.hasOwn(profiles, name));
  const names = Object.keys(profiles);
  for (const name of named.filter((one) => !known.includes(one)))
    refused.push(
      `the config has no sandbox profile "${name}"${names.length === 0 ? '' : `; it has ${names.join(', ')}`}`,
    );
  const chosen = known.flatMap((name) => profiles[name] ?? []);
  const lists = GRANTS.map((grant) => {
    const owned = intersection(grant, [worker?.[grant], run?.[grant]]) ?? [];
    const allowed = [...new Set([...owned, ...chosen.flatMap((profile) => profile[grant] ?? [])])].sort();
    return [grant, narrowed(grant, { allowed, asked: [manifest?.[grant], state?.[grant]], refused })] as const;
  });
  const owners = [worker, run, ...chosen].filter((request) => request !== undefined);
  const limits = SANDBOX_LIMITS.flatMap((limit) => {
    const ofOwners = owners.flatMap((owner) => owner[limit] ?? []);
    const most = ofOwners.length === 0 ? [DEFAULT_LIMITS[limit] ?? []].flat() : ofOwners;
    const values = [...most, ...[manifest, state].flatMap((layer) => layer?.[limit] ?? [])];
    return values.length === 0 ? [] : [[limit, Math.min(...values)] as const];
  });
  const image = worker?.image ?? run?.image ?? chosen.find((profile) => profile.image !== undefined)?.image;
  const asked = state?.image ?? manifest?.image;
  if (kind === 'container' && asked !== undefined && image !== undefined && asked !== image)
    refused.push(`the image ${asked} is not used: the config names the image ${image}`);
  const own = kind === 'container' ? (image ?? asked) : undefined;
  const policy = {
    kind,
    ...(Object.fromEntries(lists) as unknown as Grants),
    ...Object.fromEntries(limits),
    ...(own === undefined ? {} : { image: own }),
  };
  return { policy, refused };
}

/** The strictest of several kinds. */
export function strictest(kinds: readonly (SandboxKind | undefined)[]): SandboxKind {
  return SANDBOX_KINDS.findLast((kind) => kinds.includes(kind)) ?? 'none';
}

/** The weakest sandbox of a run's turns; undefined = a turn has one only if its state asks for it. */
export function kindOfRun({ owner, package: manifest }: RunSandbox = {}): SandboxPolicy['kind'] | undefined {
  const kind = strictest([owner?.kind, manifest?.kind]);
  return kind === 'none' ? undefined : kind;
}

/** The limits of both owners together; undefined when neither sets any. */
function intersection(grant: Grant, lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const given = lists.filter((list) => list !== undefined);
  const [first, second] = given;
  if (first === undefined || second === undefined) return first;
  const within = (some: readonly string[], others: readonly string[]): readonly string[] =>
    some.filter((entry) => others.some((other) => covers(grant, other, entry)));
  return [...within(first, second), ...within(second, first)];
}

/** A package that names a list gets the allowed part of it; one that names none gets everything that is allowed. */
function narrowed(
  grant: Grant,
  {
    allowed,
    asked,
    refused,
  }: {
    readonly allowed: readonly string[];
    readonly asked: readonly (readonly string[] | undefined)[];
    readonly refused: string[];
  },
): readonly string[] {
  let rest = allowed;
  for (const list of asked) {
    if (list === undefined) continue;
    for (const entry of list)
      if (!allowed.some((other) => covers(grant, other, entry)))
        refused.push(`the config does not allow ${grant}: ${entry} in the sandbox`);
    rest = intersection(grant, [rest, list]) ?? [];
  }
  return [...new Set(rest)].sort();
}

/** Whether an allowed entry includes another one. */
function covers(grant: Grant, allowed: string, entry: string): boolean {
  if (allowed === entry) return true;
  switch (grant) {
    case 'read':
    case 'write':
      return !entry.split('/').includes('..') && entry.startsWith(allowed.endsWith('/') ? allowed : `${allowed}/`);
    case 'network':
      return coversHost(allowed, entry);
    case 'env':
      return !entry.includes('*') && globOf(allowed).test(entry);
    default:
      return false;
  }
}

/** Whether the variables of a policy include this one. */
export function givesVariable({ env }: Pick<SandboxPolicy, 'env'>, name: string): boolean {
  return env.some((pattern) => covers('env', pattern, name));
}

/** Whether a pattern of the network list (`example.com`, `*.example.com`, `*`) includes a host or another pattern. */
export function coversHost(pattern: string, host: string): boolean {
  const [wide, narrow] = [pattern.toLowerCase(), host.toLowerCase()];
  if (wide === '*' || wide === narrow) return true;
  return wide.startsWith('*.') && narrow.endsWith(wide.slice(1));
}

function globOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);
}

/** A host of the network list, with `*.` before it for all below it; `*` = all. */
export const HOST_PATTERN =
  /^(?:\*|(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*)$/;

/** The form of a sandbox in one word. */
export const SANDBOX_FORM = `${SANDBOX_KINDS.join(', ')}, or KIND:PROFILE with a profile of the config`;

/** Reads a sandbox in one word: `process`, or `process:web` with a profile. */
export function parseSandbox(text: string): SandboxRequest | undefined {
  const [word, profile, ...more] = text.trim().split(':');
  const kind = SANDBOX_KINDS.find((known) => known === word);
  if (kind === undefined || more.length > 0 || profile === '') return undefined;
  return profile === undefined ? { kind } : { kind, profile };
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** The form of a size. */
export const SIZE_FORM = 'a size such as 512MiB or 2GiB';

/** Reads a size in bytes. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*$/i.exec(text) ?? [];
  const bytes = digits === undefined ? 0 : Math.round(Number(digits) * (UNITS[unit.toLowerCase()] ?? 0));
  return bytes > 0 ? bytes : undefined;
}

/** What was enforced on a turn; part of its record. */
export interface EnforcedSandbox {
  readonly kind: SandboxPolicy['kind'];
  /** The first characters of the SHA-256 of its policy. */
  readonly policy: string;
  readonly image?: string;
  /** The SHA-256 of the image. */
  readonly digest?: string;
}
