// `npm run docs:dependencies`: writes the versions of package.json, and when they were released, into the table of
// docs/reference/dependencies.md. What a package is for, and what could stand in its place, is written there by people.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const page = new URL('docs/reference/dependencies.md', root);
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const text = readFileSync(page, 'utf8');

const rows = [...text.matchAll(/^\| `(\S+)` +\| \S+ +\| \S+ +\| (.*)$/gm)];
const written = Object.fromEntries(rows.map(([, name, rest]) => [name, rest]));
const lines = Object.entries(dependencies).map(([name, version]) => {
  const times = JSON.parse(execFileSync('npm', ['view', name, 'time', '--json'], { encoding: 'utf8' }));
  return `| \`${name}\` | ${version} | ${times[version].slice(0, 10)} | ${written[name] ?? '(say what for) | (say instead of what) |'}`;
});
const from = rows[0].index;
const end = rows.at(-1).index + rows.at(-1)[0].length;
writeFileSync(page, text.slice(0, from) + lines.join('\n') + text.slice(end));
execFileSync('npx', ['prettier', '--write', fileURLToPath(page)], { cwd: fileURLToPath(root), stdio: 'inherit' });
