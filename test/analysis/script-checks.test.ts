// Remarks of shellcheck become findings; a fake shellcheck on the PATH prints them.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { lintPackages, type LintedPackage } from '../../src/authoring/lint.js';
import { folder } from '../support/folder.js';

const END = 'echo "<result>x</result>"\n';

describe('where shellcheck is installed', () => {
  const FAKE = [
    '#!/bin/bash',
    `[ "$*" = '--format=json1 --shell=bash -' ] || exit 3`,
    `line=$(grep -n 'echo \\$X' | head -n 1 | cut -d: -f1)`,
    `[ -z "$line" ] || echo '{"comments":[{"file":"-","line":'$line',"endLine":2,"column":6,"endColumn":8,"level":"info","code":2086,"message":"Double quote to prevent globbing.","fix":null}]}'`,
    '[ -z "$line" ] # with remarks it ends with 1',
    '',
  ].join('\n');

  async function shellchecked(
    fake: string,
    files: Readonly<Record<string, string>>,
  ): Promise<readonly LintedPackage[]> {
    const root = await folder({ 'bin/shellcheck': fake, ...files });
    await chmod(join(root, 'bin/shellcheck'), 0o755);
    const path = `${join(root, 'bin')}:/usr/bin:/bin`;
    return await lintPackages({ paths: ['flow'], cwd: root, root, cacheDir: join(root, 'cache'), ignore: [], path });
  }

  test('its remarks are findings with its numbers, and may be suppressed', async () => {
    const [linted] = await shellchecked(FAKE, {
      'flow/START.sh': 'set -eu\necho $X\necho "<goto>NEXT</goto>"\n',
      'flow/NEXT.sh': '# raymond-lint ignore=sc-2086\nset -eu\necho $X\necho "<goto>END</goto>"\n',
      'flow/END.sh': `set -eu\n${END}`,
    });
    expect(linted?.findings).toEqual([
      {
        id: 'sc-2086',
        severity: 'info',
        at: { file: expect.stringMatching(/flow\/START\.sh$/), line: 2, column: 6 },
        message: 'Double quote to prevent globbing.',
        state: 'START.sh',
      },
    ]);
  });

  test.each([
    ['another language', '#!/bin/sh\necho hello\n'],
    ['nothing, and fails', '#!/bin/sh\nexit 2\n'],
  ])('one that speaks %s has no say', async (_what, fake) => {
    const [linted] = await shellchecked(fake, { 'flow/START.sh': `set -eu\n${END}` });
    expect(linted?.findings).toEqual([]);
  });
});
