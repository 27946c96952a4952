// `npm run release -- --dry-run`: does everything of a release that needs no account, and prints what is left for a person; ends with 1 while
// something is missing. `-- --repository OWNER/NAME` writes who publishes it. The release itself is a tag: RELEASING.md.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { missing as missingForImage } from './image/buildah.mjs';
import { openAdvisories } from './release/audit.mjs';
import { notesIn } from './release/notes.mjs';
import { addressesOf, lackingAddresses } from './release/publisher.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist.release');
const MOST_BYTES = 25e6;

const path = join(root, 'package.json');
const manifest = JSON.parse(readFileSync(path, 'utf8'));
const { version } = manifest;
const call = async (command, ...args) => (await execa(command, args, { cwd: root, maxBuffer: 1 << 28 })).stdout;

/** What only says that it could not be done here. */
class Skipped extends Error {}

/** Each check gives what is missing, or undefined. */
const CHECKS = {
  'the tree has no uncommitted changes': async () =>
    (await call('git', 'status', '--porcelain')).split('\n')[0] || undefined,
  'package.json names its repository, homepage and bugs': () => lackingAddresses(manifest),
  'every note of a change is in the changelog': () =>
    notesIn(root).length === 0 ? undefined : `${notesIn(root).join(', ')}: npm run release:version`,
  'CHANGELOG.md dates this version': () =>
    new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm').test(
      readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    )
      ? undefined
      : `CHANGELOG.md has no line "## [${version}] - YYYY-MM-DD": npm run release:version`,
  'histories, schemas and documents of this version are stored': () =>
    ['test/replay/histories', 'test/released'].every((folder) => existsSync(join(root, folder, version)))
      ? undefined
      : 'npm run release:version',
  'the tag is free': async () => {
    const tagged = await call('git', 'tag', '--list', `v${version}`, '--no-contains', 'HEAD');
    return tagged === '' ? undefined : `the tag v${version} is on another commit`;
  },
  'the package is packed': async () => {
    const packed = await call('npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', out);
    const [{ unpackedSize, filename }] = JSON.parse(packed);
    console.log(`        ${join('dist.release', filename)}, ${(unpackedSize / 1e6).toFixed(1)} MB unpacked`);
    return unpackedSize < MOST_BYTES ? undefined : `it has ${unpackedSize} bytes, more than ${MOST_BYTES}`;
  },
  'npm would publish it': async () => {
    await call('npm', 'publish', '--dry-run', '--ignore-scripts', '--no-provenance');
    return undefined;
  },
  'its bill of materials is written': async () => {
    const options = ['--omit=dev', '--sbom-format=cyclonedx', '--package-lock-only'];
    writeFileSync(join(out, 'sbom.cdx.json'), await call('npm', 'sbom', ...options));
    return undefined;
  },
  'no dependency has a known vulnerability': async () => {
    const open = await openAdvisories();
    if (open === undefined) throw new Skipped('the registry of npm does not answer audits here');
    return open.length === 0 ? undefined : open.join('; ');
  },
  'the checksums of the Temporal CLI are those of its release': async () => {
    const { TESTED, TEMPORAL_CLI_ARCHIVES } = await import('../dist/host/tested-versions.js');
    const address = `https://github.com/temporalio/cli/releases/download/${TESTED.temporalCliDownload}/checksums.txt`;
    const answer = await fetch(address).catch(() => undefined);
    if (answer?.ok !== true) throw new Skipped(`${address} does not answer here`);
    const lines = (await answer.text()).split('\n');
    const isOfficial = ([name, sha256]) =>
      lines.some((line) => line.startsWith(`${sha256} `) && line.includes(`_${name}.`));
    const others = Object.entries(TEMPORAL_CLI_ARCHIVES).filter((entry) => !isOfficial(entry));
    return others.length === 0 ? undefined : `src/host/tested-versions.ts: ${others.map(([name]) => name).join(', ')}`;
  },
  'the docs site is built': async () => void (await call('npm', 'run', '--silent', 'docs')),
  'the package works on each Node': async () => void (await call('npm', 'run', '--silent', 'test:package')),
  'the image is built and works': async () => {
    const reasons = await missingForImage();
    if (reasons.length > 0) throw new Skipped(reasons.join('; '));
    return void (await call('npm', 'run', '--silent', 'image'));
  },
};

const LEFT = [
  'npm test && npm run test:long, on the commit of the tag',
  `git tag v${version} && git push origin v${version}: .github/workflows/release.yml does the rest`,
  'once, before the first release: RELEASING.md',
];

const [flag, slug, ...rest] = process.argv.slice(2);
if (flag === '--dry-run' && slug === undefined) process.exitCode = (await dryRun()) === 0 ? 0 : 1;
else if (flag === '--repository' && slug !== undefined && rest.length === 0) setRepository(slug);
else usage('say -- --dry-run or -- --repository OWNER/NAME; the release itself is a pushed tag: RELEASING.md');

function usage(message) {
  console.error(`npm run release: ${message}`);
  process.exitCode = 64;
}

function setRepository(slug) {
  const addresses = addressesOf(slug);
  if (addresses === undefined) return usage(`${slug} is not OWNER/NAME`);
  writeFileSync(path, `${JSON.stringify({ ...manifest, ...addresses }, undefined, 2)}\n`);
}

/** Does all checks and gives how many found something missing. */
async function dryRun() {
  mkdirSync(out, { recursive: true });
  let missing = 0;
  for (const [what, check] of Object.entries(CHECKS)) {
    const { word, reason } = await outcomeOf(check);
    missing += word === 'missing' ? 1 : 0;
    console.log(`${word.padEnd(7)} ${what}${reason === undefined ? '' : `: ${reason}`}`);
  }
  console.log(['', 'left for a person:', ...LEFT.map((step) => `- ${step}`)].join('\n'));
  return missing;
}

async function outcomeOf(check) {
  try {
    const reason = await check();
    return reason === undefined ? { word: 'ok' } : { word: 'missing', reason };
  } catch (error) {
    const lines = String(error.stdout ?? '')
      .split('\n')
      .filter((line) => /●|failed/.test(line));
    const reason = [error.message.split('\n')[0], ...lines.slice(0, 5)].join('\n        ');
    return { word: error instanceof Skipped ? 'skipped' : 'missing', reason };
  }
}
