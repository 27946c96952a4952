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

/** The SHA-256 of each archive of `temporalCliDownload`; scripts/release.mjs compares them with `checksums.txt` of its release. */
export const TEMPORAL_CLI_ARCHIVES: Readonly<Record<string, string>> = {
  linux_amd64: '09a0326a51db84d02735e53542b9ebd8c4758daf47482a9ab0abce15844e60d5',
  linux_arm64: '6c57c352d52fc3df34412376fd9ba6f74b7e3ace8e426e6cba8600156d36a145',
  darwin_amd64: '48cdd6c84c56e27ae8e4d9a47052b89289a9c552dee029b49dd312c6fb72873f',
  darwin_arm64: '41e0425378fcb4fb5766340b97435e20fe47bbff2d7bf644ec2d51f7662b7c56',
  windows_amd64: 'babb65844835045c91fb98930fe10b81de28db80c8c609180473d2c0b18c7589',
};

/** What `doctor` adds to a version that is there: the tested one, when it is another. */
export function testedWith(version: string, tested: string): string {
  const there = /\d+\.\d+\.\d+/.exec(version)?.[0];
  return there === undefined || there === tested ? '' : ` (tested with ${tested})`;
}
