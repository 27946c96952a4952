// The fake Claude of the tests in front of PATH, for benchmarks of prompt turns. Must not be measured as if it were Claude: only its own
// start counts, on both sides.
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Installs it with these rules (test/support/fakeClaude); gives its folder. */
export async function installFake(rules = []) {
  const folder = await mkdtemp(join(tmpdir(), 'raymond-bench-claude-'));
  const [bin, config] = ['bin', 'config'].map((name) => join(folder, name));
  await Promise.all([bin, config].map((name) => mkdir(name)));
  await writeFile(join(folder, 'rules.json'), JSON.stringify(rules));
  const main = new URL('../test/support/fakeClaude/main.mjs', import.meta.url).href;
  const variables = { LOG: join(folder, 'calls'), RULES: join(folder, 'rules.json') };
  const settings = Object.entries(variables).map(
    ([name, path]) => `process.env.FAKE_CLAUDE_${name} ??= ${JSON.stringify(path)};`,
  );
  const program = join(bin, 'claude');
  await writeFile(program, [`#!${process.execPath}`, ...settings, `import(${JSON.stringify(main)});`, ''].join('\n'));
  await chmod(program, 0o755);
  process.env['PATH'] = `${bin}:${process.env['PATH']}`;
  process.env['CLAUDE_CONFIG_DIR'] = config;
  return folder;
}
