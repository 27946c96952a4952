// The process of a relay (relay.ts): passes bytes between its own port and a service, as roughly as it is told.
// What is lost arrives late, as TCP repeats it, and holds up what follows on its connection.
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Until TCP repeats a piece for the first time; each further time takes twice as long. */
const REPEAT_MS = 200;
const MOST_REPEATS = 5;

const counts = { lost: 0, resets: 0 };
let roughness;
process.on('message', (told) => (roughness = told.roughness));
process.on('disconnect', () => process.exit());

const [listen, to] = process.argv.slice(2).map((place) => JSON.parse(place));
const server = createServer({ allowHalfOpen: true });
server.on('connection', (near) => join(near, connect({ ...to, allowHalfOpen: true })));
server.once('error', (error) => {
  throw error;
});
server.listen(listen.port, listen.host, () => process.send(counts));

function join(near, far) {
  for (const [one, other] of [
    [near, far],
    [far, near],
  ]) {
    one.setNoDelay(true);
    one.on('error', () => other.resetAndDestroy());
    one.on('close', () => other.destroy());
    void carry(one, other);
  }
}

async function carry(from, into) {
  try {
    for await (const piece of from) {
      if (roughness !== undefined && !(await survives(roughness))) {
        from.resetAndDestroy();
        into.resetAndDestroy();
        return;
      }
      if (!into.write(piece)) await new Promise((resolve) => into.once('drain', resolve).once('close', resolve));
    }
    into.end();
  } catch {
    into.destroy(); // the other side has gone
  }
}

/** Waits as long as a piece takes; false when its connection is reset. */
async function survives({ delays: [least, most], loss, resets }) {
  await delay(least + Math.random() * (most - least));
  for (let tries = 0; tries < MOST_REPEATS && Math.random() < loss; tries += 1) {
    count('lost');
    await delay(REPEAT_MS * 2 ** tries);
  }
  if (Math.random() >= resets) return true;
  count('resets');
  return false;
}

function count(what) {
  counts[what] += 1;
  process.send(counts);
}
