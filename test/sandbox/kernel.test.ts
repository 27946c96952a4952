// What of the kernel a script in the sandbox `process` must not reach: sockets that no network namespace holds, keyrings,
// and io_uring, which makes sockets without the system call for it.
import { expect, test } from '@jest/globals';
import { TestWorker } from '../activities/test-worker.js';
import { describeUnless, noSandbox } from '../support/unless.js';

/** Prints `got NAME` for what succeeds. */
const SCRIPT = `# raymond: sandbox=process
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
syscall = libc.syscall
X86 = os.uname().machine == 'x86_64'
def attack(name, call):
    try:
        if call() is not False: print('got', name)
    except OSError: pass
def opens(family, kind=socket.SOCK_STREAM, protocol=0):
    return lambda: socket.socket(family, kind, protocol).close()
attack('the machine outside (vsock)', opens(40))
attack('packets', opens(17, socket.SOCK_RAW))
attack('packets of a user', opens(17, socket.SOCK_DGRAM))
attack('Bluetooth', opens(31, socket.SOCK_RAW, 1))
attack('the cryptography of the kernel', opens(38, socket.SOCK_SEQPACKET))
attack('events of devices', opens(16, socket.SOCK_RAW, 15))
attack('audit', opens(16, socket.SOCK_RAW, 9))
attack('a pair of another family', lambda: syscall(53 if X86 else 199, 40, 1, 0, (ctypes.c_int * 2)()) == 0)
attack('io_uring', lambda: syscall(425, 4, (ctypes.c_char * 120)()) >= 0)
attack('the keys of the session', lambda: syscall(250 if X86 else 219, 0, -3, 0) >= 0)
attack('a new key', lambda: syscall(248 if X86 else 217, b'user', b'raymond', b'x', 1, -4) >= 0)
if X86: attack('the numbers of x32', lambda: syscall(0x40000000 + 41, 40, 1, 0) >= 0)
attack('a terminal', lambda: os.open('/dev/tty', os.O_RDWR) >= 0)
for name, call in {
    'TCP': opens(socket.AF_INET), 'IPv6': opens(socket.AF_INET6), 'Unix': opens(socket.AF_UNIX),
    'a pair': lambda: socket.socketpair(), 'the list of interfaces': lambda: socket.if_nameindex(),
}.items(): attack('ordinary: ' + name, call)
print('<result>ok</result>')
`;

describeUnless(noSandbox())('a script in the sandbox "process"', () => {
  test('reaches nothing of the kernel that no namespace holds, and makes ordinary sockets', async () => {
    const worker = await TestWorker.with({ 'START.py': SCRIPT }, { environment: { PATH: '/usr/bin:/bin' } });
    const { output } = await worker.turn({ agent: { state: 'START.py' } });
    expect(output).toBe(
      [...['TCP', 'IPv6', 'Unix', 'a pair', 'the list of interfaces'].map((name) => `got ordinary: ${name}`), ''].join(
        '\n',
      ) + '<result>ok</result>\n',
    );
  });
});
