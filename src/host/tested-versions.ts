// The versions of other programs that Raymond is tested with, in one table: `raymond doctor` and the installation of the Temporal
// CLI read it, and a test holds package.json, the Dockerfile and docs/reference/dependencies.md against it.

/** What each of them is at present. */
export const TESTED = {
  /** Claude Code, as its `--version` begins. */
  claudeCode: '2.1.329',
  /** The packages `@temporalio/…`. */
  temporalSdk: '1.24.0',
  /** The Temporal CLI that is downloaded: the newest one. */
  temporalCliDownload: 'v1.9.1',
  /** The Temporal CLI that Go builds where no download is possible: later ones cannot be built by `go install`. */
  temporalCliBuild: 'v1.5.1',
  /** The Temporal server that every test ran with. */
  temporalServer: '1.29.1',
} as const;

/** What `doctor` adds to a version that is there: the tested one, when it is another. */
export function testedWith(version: string, tested: string): string {
  const there = /\d+\.\d+\.\d+/.exec(version)?.[0];
  return there === undefined || there === tested ? '' : ` (tested with ${tested})`;
}
