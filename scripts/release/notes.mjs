// The first half of the release pull request: notes in .changeset become the version in package.json and a dated section of CHANGELOG.md.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHANGESET = fileURLToPath(new URL('../../node_modules/@changesets/cli/bin.js', import.meta.url));

/** The notes of changes that no release has. */
export function notesIn(root) {
  return readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md') && name !== 'README.md');
}

/**
 * Applies the notes and gives the new version. Without notes it dates a version that is marked as unreleased, which the first
 * release is; throws when there is nothing to release.
 */
export function applyNotes(root, today) {
  const hasNotes = notesIn(root).length > 0;
  if (hasNotes)
    execFileSync(process.execPath, [CHANGESET, 'version'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const path = join(root, 'CHANGELOG.md');
  const text = readFileSync(path, 'utf8');
  const heading = hasNotes ? `## ${version}\n` : `## [${version}] - unreleased\n`;
  if (!text.includes(heading))
    throw new Error(`nothing to release: .changeset has no note, and CHANGELOG.md no "${heading.trim()}"`);
  writeFileSync(path, text.replace(heading, `## [${version}] - ${today}\n`));
  return version;
}
