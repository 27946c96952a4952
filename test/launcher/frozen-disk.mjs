// A disk that is dead, of this process: whoever touches it waits for an answer that never comes, in state D after SIGKILL.
// Needs a user namespace of its own, where it may mount; ends with this process.
import { spawnSync } from 'node:child_process';
import { openSync, read, writeSync } from 'node:fs';

// fuse_kernel.h of Linux.
const [INIT, MAJOR, MINOR, MAX_WRITE] = [26, 7, 31, 4096];
const [HEADER_BYTES, INIT_BYTES] = [16, 64];

/** Mounts it on a folder; `onRequest` hears of everybody who begins to wait. */
export function mountFrozenDisk(folder, onRequest) {
  const device = openSync('/dev/fuse', 'r+');
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
  const stdio = ['ignore', 'inherit', 'inherit', device];
  const { status } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'frozen', folder], { stdio });
  if (status !== 0) throw new Error('the disk cannot be mounted');
  const request = Buffer.alloc(1 << 20);
  const serve = () =>
    read(device, request, 0, request.length, null, (error) => {
      if (error) throw error;
      // Only the greeting of the kernel is answered.
      if (request.readUInt32LE(4) === INIT) writeSync(device, greeting(request.readBigUInt64LE(8)));
      else onRequest();
      serve();
    });
  serve();
}

function greeting(unique) {
  const answer = Buffer.alloc(HEADER_BYTES + INIT_BYTES);
  answer.writeUInt32LE(answer.length, 0);
  answer.writeBigUInt64LE(unique, 8);
  answer.writeUInt32LE(MAJOR, HEADER_BYTES);
  answer.writeUInt32LE(MINOR, HEADER_BYTES + 4);
  answer.writeUInt32LE(MAX_WRITE, HEADER_BYTES + 20);
  return answer;
}
