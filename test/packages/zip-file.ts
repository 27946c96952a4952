// Writes zip files for tests, right ones and ones that lie: every field of an entry can be said otherwise than it is.
// Must not be used to make packages for users.
import { crc32, deflateRawSync } from 'node:zlib';

/** One entry. `declared…` is what the directory says instead of the truth. */
export interface ZipEntry {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  readonly stored?: boolean;
  readonly method?: number;
  readonly flags?: number;
  readonly mode?: number;
  readonly packed?: Buffer;
  readonly declaredSize?: number;
  readonly declaredPackedSize?: number;
  readonly declaredCrc?: number;
  /** Sizes of the zip64 field, which holds when both sizes are declared as 0xffffffff. */
  readonly zip64?: readonly [size: bigint, packedSize: bigint];
}

/** A zip file with these entries; `declaredCount` is what its end says. */
export function zipFile(entries: readonly ZipEntry[], declaredCount = entries.length): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, central } = parts(entry, offset);
    files.push(local);
    directory.push(central);
    offset += local.length;
  }
  const names = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(declaredCount, 8);
  end.writeUInt16LE(declaredCount, 10);
  end.writeUInt32LE(names.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, names, end]);
}

/** A zip file of texts by name. */
export function zipOf(files: Readonly<Record<string, string>>): Buffer {
  return zipFile(Object.entries(files).map(([name, content]) => ({ name, content })));
}

function parts(entry: ZipEntry, offset: number): { readonly local: Buffer; readonly central: Buffer } {
  const name = Buffer.from(entry.name);
  const content = Buffer.from(entry.content ?? '');
  const packed = entry.packed ?? (entry.stored === true ? content : deflateRawSync(content));
  const extra = entry.zip64 === undefined ? Buffer.alloc(0) : zip64Field(entry.zip64);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(entry.flags ?? 0x800, 2);
  common.writeUInt16LE(entry.method ?? (entry.stored === true ? 0 : 8), 4);
  common.writeUInt32LE(entry.declaredCrc ?? crc32(content), 10);
  common.writeUInt32LE(entry.zip64 === undefined ? (entry.declaredPackedSize ?? packed.length) : 0xffffffff, 14);
  common.writeUInt32LE(entry.zip64 === undefined ? (entry.declaredSize ?? content.length) : 0xffffffff, 18);
  common.writeUInt16LE(name.length, 22);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
  tail.writeUInt32LE(offset, 10);
  const centralCommon = Buffer.from(common);
  centralCommon.writeUInt16LE(extra.length, 24);
  return {
    local: Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed]),
    central: Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), centralCommon, tail, name, extra]),
  };
}

function zip64Field([size, packedSize]: readonly [bigint, bigint]): Buffer {
  const field = Buffer.alloc(20);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(16, 2);
  field.writeBigUInt64LE(size, 4);
  field.writeBigUInt64LE(packedSize, 12);
  return field;
}
