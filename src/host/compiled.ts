// Loads the bundle of the command line with the code that V8 compiled for an earlier call: half of the time of a short
// command is compiling. Node's own cache exists only in Node 22.8 and later.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { crc32, gunzipSync, gzip } from 'node:zlib';

/** A bundle in CommonJS, and the folder of its compiled code. */
interface BundleOptions {
  /** The folder of the bundle. */
  readonly dir: string;
  readonly cacheDir: string;
  /**
   * Temporal's client comes from the bundle `sdk.cjs`, which loads in half the time; a process with a worker would have
   * it twice.
   */
  readonly bundledSdk: boolean;
}

interface Module {
  exports: unknown;
}

type Wrapper = (this: Module, require: (id: string) => unknown, filename: string) => void;

const SDK_FILE = 'sdk.cjs';

/** The packages in it. */
const SDK = /^@temporalio\/(?:client|common|envconfig|proto)$/;

/** The files of a bundle that this process has loaded. */
export class CompiledBundle {
  private readonly modules = new Map<string, Module>();
  /** What no earlier call has kept. */
  private readonly compiled = new Map<string, { readonly script: Script; readonly bytes: Buffer }>();

  /** The files that are not loaded yet, compressed. */
  private readonly held = new Map<string, Buffer>();

  constructor(private readonly options: BundleOptions) {}

  /**
   * Keeps the files that may be loaded later in memory, 2 MB in all: an update of Raymond replaces them on disk, and
   * what a running process mixes of two versions fails in any way.
   */
  async hold(): Promise<void> {
    this.keep();
    const { dir } = this.options;
    const names = (await readdir(dir)).filter((name) => name.endsWith('.cjs') && name !== SDK_FILE);
    for (const name of names)
      if (!this.modules.has(name)) this.held.set(name, await promisify(gzip)(await readFile(join(dir, name))));
  }

  /** The exports of a file of the bundle. */
  load(name: string): unknown {
    const known = this.modules.get(name);
    if (known !== undefined) return known.exports;
    const module: Module = { exports: {} };
    this.modules.set(name, module);
    const file = join(this.options.dir, name);
    const bytes = this.bytesOf(name);
    // The build writes ASCII alone, which is read at once.
    const source = `(function(require,__filename){const module=this,exports=module.exports;${bytes.toString('latin1')}\n})`;
    const cachedData = readCache(this.cacheOf(name), bytes);
    const script = new Script(source, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
    if (script.cachedDataRejected !== false) this.compiled.set(name, { script, bytes });
    (script.runInThisContext() as Wrapper).call(module, this.requireFrom(file), file);
    return module.exports;
  }

  private bytesOf(name: string): Buffer {
    const held = this.held.get(name);
    if (held === undefined) return readFileSync(join(this.options.dir, name));
    this.held.delete(name);
    return gunzipSync(held);
  }

  /** Keeps what was compiled in this process for the next one. */
  keep(): void {
    for (const [name, code] of this.compiled) writeCache(this.cacheOf(name), code);
    this.compiled.clear();
  }

  private requireFrom(file: string): (id: string) => unknown {
    const requirePackage = createRequire(file);
    return (id) => {
      if (id.startsWith('./')) return this.load(id.slice('./'.length));
      if (!this.options.bundledSdk || !SDK.test(id)) return requirePackage(id) as unknown;
      return (this.load(SDK_FILE) as Record<string, unknown>)[id];
    };
  }

  /** V8 rejects code that it compiled with other flags. */
  private cacheOf(name: string): string {
    const flags = process.execArgv.join('').replace(/[^\w-]/g, '_');
    return join(this.options.cacheDir, `${name}.${process.version}${flags}`);
  }
}

/**
 * V8 checks neither the content of cached code nor more than the length of its source, and crashes on a damaged file,
 * so a checksum of both precedes it. CRC-32 takes a tenth of the time of SHA-256.
 */
function checksumOf(source: Buffer, data: Buffer): Buffer {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(data, crc32(source)));
  return checksum;
}

const CHECKSUM_BYTES = 4;

function readCache(path: string, source: Buffer): Buffer | undefined {
  try {
    const file = readFileSync(path);
    const data = file.subarray(CHECKSUM_BYTES);
    return checksumOf(source, data).equals(file.subarray(0, CHECKSUM_BYTES)) ? data : undefined;
  } catch {
    return undefined; // Not there, or unreadable: it is compiled again.
  }
}

function writeCache(path: string, { script, bytes }: { readonly script: Script; readonly bytes: Buffer }): void {
  const draft = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const data = script.createCachedData();
    writeFileSync(draft, Buffer.concat([checksumOf(bytes, data), data]), { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    removeDraft(draft); // A cache that cannot be written only costs time.
  }
}

function removeDraft(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Its folder is none.
  }
}
