// Rules about what a package asks of its sandboxes: the config of the project must allow it, and this host must have it.
import { mergeSandbox, type SandboxRequest } from '../../../protocol/sandbox.js';
import type { Position } from '../../position.js';
import type { SourceFile } from '../../source.js';
import { statesOf } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

/** What the manifest and the states ask of their sandboxes, and where. */
function allAsked(analysis: Analysis): readonly Asked[] {
  const { manifest, parsedManifest } = analysis.graph.source;
  const request = parsedManifest?.sandbox;
  const key = manifest?.keys.find((one) => one.key === 'sandbox');
  const ofStates = statesOf(analysis).flatMap(({ source, file }) => {
    const asked = sandboxAsked(source);
    return asked === undefined ? [] : [{ ...asked, state: file }];
  });
  return request === undefined || key === undefined ? ofStates : [{ request, at: key.at }, ...ofStates];
}

function* notAllowed(analysis: Analysis): Generator<FindingDetails> {
  for (const { request, ...where } of allAsked(analysis)) {
    const asked = 'state' in where ? { state: request } : { package: request };
    for (const message of refusals(analysis, asked)) yield { ...where, message, fix: FIX };
  }
}

/** The sandboxes that `start` would refuse on this host. */
function* missingHere(analysis: Analysis): Generator<FindingDetails> {
  const { onHost } = analysis.sandbox ?? {};
  for (const { request, ...where } of allAsked(analysis)) {
    const { kind = 'none' } = request;
    if (onHost === undefined || kind === 'none' || onHost.includes(kind)) continue;
    const message = `this host has no sandbox "${kind}", so raymond start refuses this package here`;
    yield { ...where, message, fix: 'run "raymond doctor": it says what to install' };
  }
}

const FIX = 'remove it from the package, or change sandbox or sandbox_profiles in the config';

function refusals(
  { sandbox = {} }: Analysis,
  asked: { readonly package?: SandboxRequest; readonly state?: SandboxRequest },
): readonly string[] {
  const { owner, profiles } = sandbox;
  return mergeSandbox({ ...asked, worker: { ...owner, kind: 'process' }, profiles }).refused;
}

/** The first sandboxes of a package that name an image whose content may change. */
function* changingImages(analysis: Analysis): Generator<FindingDetails> {
  for (const { request, ...where } of allAsked(analysis)) {
    const { image } = request;
    if (image === undefined || image.includes('@sha256:')) continue;
    const message = `the image ${image} is named without a digest: its content may change`;
    yield { ...where, message, fix: `name it with its digest: ${image}@sha256:…` };
  }
}

/** What is asked of a sandbox, and where. */
interface Asked {
  readonly request: SandboxRequest;
  readonly at: Position;
  readonly state?: string;
}

/** True when a package asks for a sandbox. */
export function asksForSandbox(analysis: Analysis): boolean {
  return allAsked(analysis).some(({ request: { kind = 'none' } }) => kind !== 'none');
}

/** The sandbox that a state asks for, and where. */
export function sandboxAsked(source: SourceFile): Asked | undefined {
  if (source.kind !== 'prompt' && source.kind !== 'script') return undefined;
  const isPrompt = source.kind === 'prompt';
  const request = isPrompt ? source.prompt.policy?.sandbox : source.settings.sandbox;
  if (request === undefined) return undefined;
  const keys = isPrompt ? source.prompt.keys : source.keys;
  return { request, at: keys.find(({ key }) => key === 'sandbox')?.at ?? source.at };
}

/** The rule, for the table of all rules. */
export const SANDBOX_RULES: readonly Rule[] = [
  {
    id: 'sandbox-not-allowed',
    severity: 'warning',
    summary: 'A package or a state asks for permissions in its sandbox that the config of the project does not allow.',
    why: 'A package may ask for less than the config allows, never for more: the turn runs without what the config does not allow, and a warning says so.',
    check: notAllowed,
  },
  {
    id: 'sandbox-missing',
    severity: 'warning',
    summary: 'A package or a state asks for a kind of sandbox that this host does not have.',
    why: 'A turn never runs without the sandbox that it asks for: raymond start refuses the package on this host before a turn is paid for. On a fleet the workers decide.',
    check: missingHere,
  },
  {
    id: 'image-without-digest',
    severity: 'info',
    summary: 'A sandbox names the image of its container without a digest, so the content of the image may change.',
    why: 'An image tag can name another image later, or on another host. A digest always names the same image.',
    check: changingImages,
  },
];
