// `npm run audit`: known vulnerabilities of what is installed with Raymond. Ends with 0 when there is none that is not explained below, with 1
// when there is, and with 69 when the registry does not answer: some mirrors do not.
import { execa } from 'execa';
import { fileURLToPath } from 'node:url';

/** Advisories that do not concern Raymond, by their address, each with the reason. */
const EXPLAINED = {};

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The advisories without an explanation, one line each; undefined when the registry does not answer. */
export async function openAdvisories({ flags = [], explained = EXPLAINED } = {}) {
  const { stdout } = await execa('npm', ['audit', '--omit=dev', '--json', ...flags], { cwd: root, reject: false });
  const { vulnerabilities } = JSON.parse(stdout || '{}');
  if (vulnerabilities === undefined) return undefined;
  const advisories = Object.values(vulnerabilities).flatMap(({ via }) => via.filter((one) => typeof one === 'object'));
  const open = advisories.filter(({ url }) => !(url in explained));
  return [
    ...new Set(open.map(({ name, range, severity, title, url }) => `${name} ${range}: ${title} (${severity}, ${url})`)),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const open = await openAdvisories();
  if (open === undefined) console.error('npm run audit: the registry of npm does not answer audits here');
  else for (const line of open) console.error(line);
  process.exitCode = open === undefined ? 69 : open.length > 0 ? 1 : 0;
}
