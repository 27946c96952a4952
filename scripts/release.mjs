// `npm run release -- --dry-run`: does everything of a release that needs no account, and prints what is left for a person.
// Ends with 1 while something is missing. The release itself is a tag: RELEASING.md.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist.release');
const MOST_BYTES = 25e6;

if (process.argv.slice(2).join(' ') !== '--dry-run') {
  console.error('npm run release: only -- --dry-run is there; the release itself is a pushed tag: RELEASING.md');
  process.exit(64);
}

const call = (command, ...args) => execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { version } = manifest;

/** Each check gives what is missing, or undefined. */
const CHECKS = {
  'the tree has no uncommitted changes': () => call('git', 'status', '--porcelain').split('\n')[0] || undefined,
  'package.json names its repository, homepage and bugs': () => {
    const absent = ['repository', 'homepage', 'bugs'].filter((key) => manifest[key] === undefined);
    return absent.length === 0 ? undefined : `package.json has no ${absent.join(', ')}`;
  },
  'CHANGELOG.md dates this version': () =>
    new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm').test(
      readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    )
      ? undefined
      : `CHANGELOG.md has no line "## [${version}] - YYYY-MM-DD"`,
  'histories of this version are recorded': () =>
    existsSync(join(root, 'test/replay/histories', version)) ? undefined : 'run: node scripts/record-histories.mjs',
  'the tag is free': () =>
    call('git', 'tag', '--list', `v${version}`).trim() === '' ? undefined : `the tag v${version} is there already`,
  'the package is packed': () => {
    const [{ unpackedSize, filename }] = JSON.parse(
      call('npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', out),
    );
    console.log(`        ${join('dist.release', filename)}, ${(unpackedSize / 1e6).toFixed(1)} MB unpacked`);
    return unpackedSize < MOST_BYTES ? undefined : `it has ${unpackedSize} bytes, more than ${MOST_BYTES}`;
  },
  'its bill of materials is written': () => {
    const options = ['--omit=dev', '--sbom-format=cyclonedx', '--package-lock-only'];
    writeFileSync(join(out, 'sbom.cdx.json'), call('npm', 'sbom', ...options));
    return undefined;
  },
};

const LEFT = [
  'npm test && npm run test:long && npm run test:package, on the commit of the tag',
  `git tag v${version} && git push origin v${version}: .github/workflows/release.yml does the rest`,
  'once, before the first release: RELEASING.md',
];

mkdirSync(out, { recursive: true });
let missing = 0;
for (const [what, check] of Object.entries(CHECKS)) {
  const lacking = attempt(check);
  missing += lacking === undefined ? 0 : 1;
  console.log(lacking === undefined ? `ok      ${what}` : `missing ${what}: ${lacking}`);
}
console.log(['', 'left for a person:', ...LEFT.map((step) => `- ${step}`)].join('\n'));
process.exit(missing === 0 ? 0 : 1);

function attempt(check) {
  try {
    return check();
  } catch (error) {
    return error.message.split('\n')[0];
  }
}
