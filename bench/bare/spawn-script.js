// The activity of the bare programs: a shell that runs a script.
import { spawn } from 'node:child_process';

export function spawnScript({ script, cwd }) {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', [script], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.on('error', reject).on('close', () => resolve(output));
  });
}
