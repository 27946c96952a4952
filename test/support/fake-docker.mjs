// Plays `docker` at the edge: it checks the command line of a container, and keeps the command with bubblewrap: the same
// mounts, in a process namespace of its own, as a process that is no child of this one. As with docker, the input of the
// container ends when this process dies. Its first arguments are its folder, where it notes what it was asked,
// and the Claude Code that its image has.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const [folder, claude, command, ...args] = process.argv.slice(2);
appendFileSync(`${folder}/asked`, `${JSON.stringify([command, ...args])}\n`);

function fail(why, code) {
  console.error(`docker: ${why}`);
  process.exit(code);
}

function inspect(image) {
  if (image !== 'tools:1') fail(`No such image: ${image}`, 1);
  console.log(`sha256:${'1'.repeat(64)} ["tools@sha256:${'2'.repeat(64)}"]`);
}

function pidFile(name) {
  return `${folder}/${name}.pid`;
}

function remove(name) {
  if (!existsSync(pidFile(name))) return;
  signalFirst(readFileSync(pidFile(name), 'utf8'), 'SIGKILL');
  rmSync(pidFile(name), { force: true });
}

/** Options with a value, and those without. */
const VALUED = [
  ...['--pull', '--log-driver', '--name', '--label', '--workdir', '--network', '--cap-drop', '--security-opt'],
  ...['--user', '--memory', '--memory-swap', '--pids-limit', '--ulimit', '--mount', '--tmpfs', '--env', '--entrypoint'],
];
const PLAIN = ['--rm', '--interactive', '--read-only'];

function parse(words) {
  const options = {};
  let at = 0;
  for (; words[at]?.startsWith('--'); at += 1) {
    const word = words[at];
    if (PLAIN.includes(word)) options[word] = ['yes'];
    else if (VALUED.includes(word)) (options[word] ??= []).push(words[(at += 1)]);
    else fail(`unknown flag: ${word}`, 125);
  }
  return { options, image: words[at], inner: words.slice(at + 1) };
}

/** What every container of a turn must have. */
const REQUIRED = {
  '--rm': 'yes',
  '--interactive': 'yes',
  '--read-only': 'yes',
  '--pull': 'never',
  '--network': 'none',
  '--cap-drop': 'ALL',
  '--user': `${process.getuid()}:${process.getgid()}`,
  '--entrypoint': 'sh',
};

async function run(words) {
  const { options, image, inner } = parse(words);
  for (const [option, value] of Object.entries(REQUIRED))
    if (options[option]?.join() !== value) fail(`${option} is ${options[option]}, not ${value}`, 125);
  if (!options['--security-opt']?.includes('no-new-privileges')) fail('new privileges are allowed', 125);
  if (image !== `sha256:${'1'.repeat(64)}`) fail(`no image ${image}`, 125);
  const [name] = options['--name'];
  if (existsSync(pidFile(name))) fail(`the name ${name} is in use`, 125);
  await start({ options, inner, name });
}

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc'].filter((path) => existsSync(path));

async function start({ options, inner, name }) {
  const mounts = [
    ...(options['--mount'] ?? []).map((text) => {
      const fields = Object.fromEntries(text.split(',').map((field) => field.split('=')));
      if (!existsSync(fields.source)) fail(`invalid mount config: ${fields.source} does not exist`, 125);
      return {
        path: fields.target,
        args: ['readonly' in fields ? '--ro-bind' : '--bind', fields.source, fields.target],
      };
    }),
    ...(options['--tmpfs'] ?? []).map((text) => ({ path: text.split(':')[0], args: ['--tmpfs', text.split(':')[0]] })),
  ].sort((one, other) => (one.path < other.path ? -1 : 1));
  const variables = (options['--env'] ?? []).flatMap((text) => {
    const [key, ...rest] = text.split('=');
    const value = text.includes('=') ? rest.join('=') : process.env[key];
    return value === undefined ? [] : ['--setenv', key, value];
  });
  const bwrap = [
    ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--as-pid-1', '--cap-drop', 'ALL'],
    ...SYSTEM.flatMap((path) => ['--ro-bind', path, path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    // This image has no Node.js.
    ...(existsSync('/usr/bin/node') ? ['--ro-bind', '/dev/null', '/usr/bin/node'] : []),
    ...(claude === '' ? [] : ['--ro-bind', claude, '/image/claude']),
    ...mounts.flatMap(({ args }) => args),
    ...['--remount-ro', '/'],
    ...['--clearenv', '--setenv', 'PATH', '/usr/bin:/image', '--setenv', 'FROM_IMAGE', 'yes', ...variables],
    ...['--chdir', options['--workdir'][0], '--', 'sh', ...inner],
  ];
  // A daemon starts it: its own session, so that signals to this group do not reach it.
  const child = spawn('bwrap', bwrap, {
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  writeFileSync(pidFile(name), String(child.pid));
  process.stdin.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  // The command passes a signal on to the first process of the container, by its daemon.
  process.on('SIGTERM', () => signalFirst(child.pid, 'SIGTERM'));
  child.on('exit', (code, signal) => {
    rmSync(pidFile(name), { force: true });
    process.exit(code ?? (signal === 'SIGKILL' ? 137 : 143));
  });
}

/** The first process inside: the only child of bubblewrap. */
function signalFirst(pid, signal) {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  for (const one of stdout.split('\n').filter((line) => line !== '')) process.kill(Number(one), signal);
}

switch (command) {
  case 'info':
    console.log('99.1 ["name=seccomp"]');
    break;
  case 'context':
    console.log('unix:///var/run/docker.sock');
    break;
  case 'image':
    inspect(args.at(-1));
    break;
  case 'ps':
    break;
  case 'rm':
    remove(args.at(-1));
    break;
  case 'run':
    await run(args);
    break;
  default:
    fail(`unknown command ${command}`, 1);
}
