// The rule about sandboxes: what a package asks for must be allowed by the config of the project.
import { mergeSandbox, type SandboxRequest } from '../../protocol/sandbox.js';
import type { Position } from '../position.js';
import type { SourceFile } from '../source.js';
import { statesOf } from './helpers.js';
import type { Analysis, FindingDetails, Rule } from './rule.js';

function* notAllowed(analysis: Analysis): Generator<FindingDetails> {
  const { manifest, parsedManifest } = analysis.graph.source;
  const ofPackage = parsedManifest?.sandbox;
  const key = manifest?.keys.find((one) => one.key === 'sandbox');
  if (ofPackage !== undefined && key !== undefined)
    for (const message of refusals(analysis, { package: ofPackage })) yield { at: key.at, message, fix: FIX };
  for (const { source, file } of statesOf(analysis)) {
    const asked = sandboxAsked(source);
    if (asked === undefined) continue;
    const { at, request } = asked;
    for (const message of refusals(analysis, { state: request })) yield { at, message, fix: FIX, state: file };
  }
}

const FIX = 'remove it, or allow it in the table sandbox of the config';

function refusals(
  { sandbox = {} }: Analysis,
  asked: { readonly package?: SandboxRequest; readonly state?: SandboxRequest },
): readonly string[] {
  const { owner, profiles } = sandbox;
  const { refused } = mergeSandbox({ ...asked, worker: { ...owner, kind: 'process' }, profiles });
  return refused.map((entry) => `the sandbox will not give ${entry}`);
}

/** The first sandboxes of a package that name an image whose content may change. */
function* changingImages(analysis: Analysis): Generator<FindingDetails> {
  const { manifest, parsedManifest } = analysis.graph.source;
  const key = manifest?.keys.find((one) => one.key === 'sandbox');
  const named = [
    ...(key === undefined ? [] : [{ at: key.at, image: parsedManifest?.sandbox?.image }]),
    ...statesOf(analysis).flatMap(({ source, file }) => {
      const asked = sandboxAsked(source);
      return asked === undefined ? [] : [{ at: asked.at, image: asked.request.image, state: file }];
    }),
  ];
  for (const { image, ...where } of named) {
    if (image === undefined || image.includes('@sha256:')) continue;
    const message = `the image ${image} is named without a digest: its content may change`;
    yield { ...where, message, fix: `name it with its digest: ${image}@sha256:…` };
  }
}

/** The sandbox that a state asks for, and where. */
export function sandboxAsked(
  source: SourceFile,
): { readonly request: SandboxRequest; readonly at: Position } | undefined {
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
    summary: 'A package asks its sandbox for more than the config allows.',
    why: 'A package may ask for less than the config allows, never for more: the turn runs without what is not allowed, and gets a warning.',
    check: notAllowed,
  },
  {
    id: 'image-without-digest',
    severity: 'info',
    summary: 'A sandbox names the image of its container without a digest.',
    why: 'A tag can lead to another image tomorrow, on another host too; a digest is always the same image.',
    check: changingImages,
  },
];
