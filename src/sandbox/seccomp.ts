// The filter of system calls that bubblewrap sets inside: what no namespace holds. A socket of AF_VSOCK leads to the
// machine that this one runs on, the keyring of the session comes from outside, and io_uring makes sockets without the
// system call for it. Pure: a program of classic BPF.

/** The numbers of the calls on one processor, which Linux names by its architecture. */
interface Numbers {
  readonly architecture: number;
  readonly socket: number;
  readonly socketpair: number;
  /** Refused as if the kernel did not have them: keyrings, bpf, userfaultfd, perf events. io_uring is the same on all. */
  readonly refused: readonly number[];
  /** Numbers from here on are another set of all calls. */
  readonly others?: number;
}

const IO_URING = [425, 426, 427];
const GENERIC = { socket: 198, socketpair: 199, refused: [...IO_URING, 217, 218, 219, 241, 280, 282] };

/** By the names that Node gives processors. */
const PROCESSORS: Readonly<Record<string, Numbers>> = {
  x64: {
    ...{ architecture: 0xc000003e, socket: 41, socketpair: 53, others: 0x40000000 },
    refused: [...IO_URING, 248, 249, 250, 298, 321, 323],
  },
  arm64: { architecture: 0xc00000b7, ...GENERIC },
  riscv64: { architecture: 0xc00000f3, ...GENERIC },
};

/** The families of sockets that a network namespace holds: Unix, IPv4, IPv6. */
const FAMILIES = [1, 2, 10];
const NETLINK = 16;
/** Of netlink only the lists of interfaces and routes. */
const NETLINK_ROUTE = 0;

/** Where the kernel gives the number of the call, the architecture and the low words of its arguments. */
const AT = { number: 0, architecture: 4, family: 16, protocol: 32 };

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const ERROR = 0x00050000;
const NO_SUCH_CALL = ERROR | 38; // ENOSYS
const NO_SUCH_FAMILY = ERROR | 97; // EAFNOSUPPORT

/** `yes` and `no` are the numbers of instructions to skip. */
type Instruction = readonly [code: number, value: number, yes?: number, no?: number];

/** The program for a processor; undefined for one whose numbers are not known. */
export function seccompFilter(processor: string): Buffer | undefined {
  const numbers = PROCESSORS[processor];
  return numbers === undefined ? undefined : assembled(programFor(numbers));
}

function programFor({ architecture, socket, socketpair, refused, others }: Numbers): readonly Instruction[] {
  const noSuchCall: Instruction = [RETURN, NO_SUCH_CALL];
  return [
    [LOAD, AT.architecture],
    [JUMP_IF_EQUAL, architecture, 1, 0],
    noSuchCall,
    [LOAD, AT.number],
    ...(others === undefined ? [] : ([[JUMP_IF_AT_LEAST, others, 0, 1], noSuchCall] as const)),
    ...refused.flatMap((number): readonly Instruction[] => [[JUMP_IF_EQUAL, number, 0, 1], noSuchCall]),
    [JUMP_IF_EQUAL, socket, 2, 0],
    [JUMP_IF_EQUAL, socketpair, 1, 0],
    [RETURN, ALLOW],
    [LOAD, AT.family],
    ...FAMILIES.flatMap((family): readonly Instruction[] => [
      [JUMP_IF_EQUAL, family, 0, 1],
      [RETURN, ALLOW],
    ]),
    [JUMP_IF_EQUAL, NETLINK, 1, 0],
    [RETURN, NO_SUCH_FAMILY],
    [LOAD, AT.protocol],
    [JUMP_IF_EQUAL, NETLINK_ROUTE, 0, 1],
    [RETURN, ALLOW],
    [RETURN, NO_SUCH_FAMILY],
  ];
}

const INSTRUCTION_BYTES = 8;

/** All these processors have the lowest byte first. */
function assembled(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  program.forEach(([code, value, yes = 0, no = 0], index) => {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(yes, at + 2);
    bytes.writeUInt8(no, at + 3);
    bytes.writeUInt32LE(value >>> 0, at + 4);
  });
  return bytes;
}
