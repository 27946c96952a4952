// The command line of a container, as a table.
import { expect, test } from '@jest/globals';
import type { SandboxPolicy } from '../../src/protocol/sandbox.js';
import { containerArgs, whyUnmountable } from '../../src/sandbox/container.js';
import type { Mount } from '../../src/sandbox/mounts.js';
import type { ContainerRuntime } from '../../src/sandbox/runtime.js';

const POLICY: SandboxPolicy = { kind: 'container', read: [], write: [], network: [], env: [] };
const DOCKER: ContainerRuntime = { name: 'docker', path: '/usr/bin/docker', version: '28', rootless: false };

/** The command line, up to the script of the first process. */
function argsOf({
  runtime = {},
  policy = {},
  mounts = [],
  uid = 1000,
}: {
  readonly runtime?: Partial<ContainerRuntime>;
  readonly policy?: Partial<SandboxPolicy>;
  readonly mounts?: readonly Mount[];
  readonly uid?: number;
}): string {
  const args = containerArgs({
    runtime: { ...DOCKER, ...runtime },
    image: 'sha256:1',
    name: 'raymond-a-1',
    labels: ['raymond=turn'],
    user: { uid, gid: 100 },
    mounts,
    policy: { ...POLICY, ...policy },
    memory: policy.memory ?? 9000,
    inner: { command: 'bash', args: ['/s/A.sh'], cwd: '/p' },
    passed: ['HOME'],
    own: { HTTP_PROXY: 'http://x' },
    files: { input: '/t/input', limit: '/t/limit' },
  });
  const script = args.indexOf('-c');
  expect(args.slice(script + 2)).toEqual(['sh', '/t/input', '/t/limit', String(policy.cpu ?? 0), 'bash', '/s/A.sh']);
  return args.slice(0, script).join(' ');
}

test('the command line of a container leaves a turn nothing but its mounts', () => {
  expect(argsOf({})).toBe(
    'run --rm --interactive --pull never --log-driver none --name raymond-a-1 --label raymond=turn --workdir /p ' +
      '--network none --read-only --cap-drop ALL --security-opt no-new-privileges --security-opt label=disable ' +
      '--user 1000:100 --memory 9000 --memory-swap 9000 --env HOME --env HTTP_PROXY=http://x --entrypoint sh sha256:1',
  );
});

test.each<[string, Parameters<typeof argsOf>[0], string]>([
  [
    'podman without root',
    { runtime: { name: 'podman', rootless: true } },
    '--userns keep-id --user 1000:100 --read-only-tmpfs=false',
  ],
  ['docker without root', { runtime: { rootless: true } }, '--user 0:0'],
  ['podman as root', { runtime: { name: 'podman', rootless: true }, uid: 0 }, ' --user 0:100'],
  ['memory', { policy: { memory: 1024 } }, '--memory 1024 --memory-swap 1024'],
  ['processes', { policy: { processes: 10 } }, '--pids-limit 16'],
  ['CPU time and files', { policy: { cpu: 5, files: 9 } }, '--ulimit cpu=5:5 --ulimit fsize=9:9'],
  ['read', { mounts: [{ path: '/p', access: 'read' }] }, '--mount type=bind,source=/p,target=/p,readonly'],
  ['write', { mounts: [{ path: '/a,"b', access: 'write' }] }, '--mount type=bind,"source=/a,""b","target=/a,""b"'],
  ['another place', { mounts: [{ path: '/b', source: '/a', access: 'read' }] }, 'source=/a,target=/b,readonly'],
  [
    'scratch',
    { mounts: [{ path: '/h', access: 'scratch' }], policy: { memory: 7 } },
    '--tmpfs /h:rw,exec,nosuid,nodev,mode=1777,size=7',
  ],
  [
    'what is hidden',
    {
      mounts: [
        { path: '/p', access: 'write' },
        { path: '/p/k', access: 'hide' },
        { path: '/p/f', access: 'hide', isFile: true },
      ],
    },
    '--tmpfs /p/k:rw,noexec,nosuid,nodev,mode=555,size=65536 --mount type=bind,source=/dev/null,target=/p/f,readonly',
  ],
])('the command line gives: %s', (_what, given, expected) => {
  expect(argsOf(given)).toContain(expected);
});

test.each(['/', '/usr', '/usr/bin', '/etc', '/proc/1', '/sys', '/dev/shm'])(
  'a container cannot be given %s',
  (path) => {
    expect(whyUnmountable({ path, access: 'read' })).toContain(`the container has a folder ${path} of its own`);
  },
);

test.each(['/home/ann/project', '/usr/src/app', '/usr/local', '/srv'])('a container can be given %s', (path) => {
  expect(whyUnmountable({ path, access: 'write' })).toBeUndefined();
});
