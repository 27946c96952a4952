// What the snapshot of a workspace costs a turn, by the number of files in the repository: ten edits and ten new files each, taken one
// after the other; then the restoring on another host. Prints medians, and the ratio of the largest repository to the smallest.
// node bench/snapshots.mjs [--files 5000,50000] [--turns 20]
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FolderStore } from '../dist/store/folder.js';
import { checkOut } from '../dist/workspaces/checkout.js';
import { git } from '../dist/workspaces/git.js';
import { readChain, takeSnapshot } from '../dist/workspaces/snapshot.js';

const { values } = parseArgs({
  options: { files: { type: 'string', default: '5000,50000' }, turns: { type: 'string', default: '20' } },
});
const turns = Number(values.turns);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const env = { PATH: process.env.PATH, HOME: process.env.HOME };
const timed = async (work) => {
  const begin = performance.now();
  const value = await work();
  return { value, ms: performance.now() - begin };
};

console.log(
  'load before:',
  loadavg()
    .map((load) => load.toFixed(2))
    .join(' '),
);
const medians = [];
for (const files of values.files.split(',').map(Number)) medians.push(await measure(files));
if (medians.length > 1) console.log(`a snapshot there against here: ${(medians.at(-1) / medians[0]).toFixed(2)} ×`);
console.log(
  'load after:',
  loadavg()
    .map((load) => load.toFixed(2))
    .join(' '),
);

async function measure(files) {
  const folder = await mkdtemp(join(tmpdir(), 'raymond-bench-'));
  try {
    const repo = join(folder, 'repo');
    await fill(repo, files);
    const run = (...args) => git(args, { cwd: repo, env });
    await run('init', '--quiet', '-b', 'main');
    await run('add', '.');
    await run('commit', '--quiet', '-m', 'first');
    const commit = await run('rev-parse', 'HEAD');
    const store = new FolderStore(join(folder, 'store'));
    const request = (root) => ({
      path: join(root, 'run', 'main'),
      origin: { repo, commit },
      branch: 'b',
      isOwn: true,
      generation: 1,
    });
    const place = (root, snapshot) =>
      timed(() =>
        checkOut({ ...request(root), ...(snapshot === undefined ? {} : { snapshot }) }, { root, env, store }),
      );
    const [here, there] = [join(folder, 'here'), join(folder, 'there')];
    const first = await place(here);
    const path = join(here, 'run', 'main');
    const took = [];
    const sizes = [];
    let previous;
    for (let turn = 1; turn <= turns; turn += 1) {
      for (let n = 0; n < 10; n += 1) {
        await writeFile(join(path, `d${n}`, `f${n * 7}`), `edited in turn ${turn}\n`.repeat(20));
        await writeFile(join(path, `new-${turn}-${n}`), `made in turn ${turn}\n`.repeat(20));
      }
      const options = {
        path,
        env,
        store,
        base: commit,
        limitBytes: 1 << 28,
        ...(previous === undefined ? {} : { previous }),
      };
      const { value, ms } = await timed(() => takeSnapshot(options));
      previous = value;
      took.push(ms);
      const { packs } = await readChain(store, value);
      const { size } = await stat(await store.locate(packs.at(-1)));
      sizes.push(size);
    }
    const again = await timed(() => takeSnapshot({ path, env, store, base: commit, previous, limitBytes: 1 << 28 }));
    const restored = await place(there, previous);
    const ms = (number) => `${number.toFixed(0)} ms`;
    console.log(
      `${files} files: placed ${ms(first.ms)} (with the mirror), snapshot ${ms(median(took))} (first ${ms(took[0])}), pack ${(median(sizes) / 1024).toFixed(1)} KiB,`,
      `nothing changed ${ms(again.ms)}, restored elsewhere ${ms(restored.ms)} (with the mirror)`,
    );
    return median(took);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(repo, files) {
  const folders = Math.max(10, files / 100);
  for (let folder = 0; folder < folders; folder += 1) await mkdir(join(repo, `d${folder}`), { recursive: true });
  for (let file = 0; file < files; file += 1)
    await writeFile(join(repo, `d${file % folders}`, `f${file}`), `file ${file}\n`.repeat(400));
}
