// The names that a program defines and uses, whatever their scope: a name that is defined nowhere is certainly a mistake.
import type { SyntaxNode, Tree } from '@lezer/common';

/** The names of a program. */
export interface ProgramNames {
  readonly defined: ReadonlySet<string>;
  readonly used: readonly { readonly name: string; readonly at: number }[];
}

type Role = 'definition' | 'use' | 'neither';

/** The names of a Python program. */
export function pythonNames(tree: Tree, text: string): ProgramNames {
  return namesOf({ tree, text, roleOf: pythonRole });
}

/** The names of a JavaScript program. */
export function nodeNames(tree: Tree, text: string): ProgramNames {
  return namesOf({ tree, text, roleOf: nodeRole });
}

function namesOf({
  tree,
  text,
  roleOf,
}: {
  readonly tree: Tree;
  readonly text: string;
  readonly roleOf: (node: SyntaxNode) => Role;
}): ProgramNames {
  const defined = new Set<string>();
  const used: { readonly name: string; readonly at: number }[] = [];
  tree.iterate({
    enter: ({ node, name: kind, from, to }) => {
      if (!/^(?:Variable(?:Name|Definition)|TypeDefinition)$/.test(kind)) return;
      const role = roleOf(node);
      const name = text.slice(from, to);
      if (role === 'definition') defined.add(name);
      else if (role === 'use') used.push({ name, at: from });
    },
  });
  return { defined, used };
}

const PYTHON_DEFINERS =
  /^(?:ImportStatement|FunctionDefinition|ClassDefinition|ScopeStatement|CapturePattern|AsPattern|StarPattern)$/;
const LISTS =
  /^(?:TupleExpression|ArrayExpression|ParenthesizedExpression|ArrayPattern|ObjectPattern|PatternProperty)$/;

/** The node, or the list of targets that it is part of. */
function target(node: SyntaxNode): SyntaxNode {
  return node.parent !== null && LISTS.test(node.parent.name) ? target(node.parent) : node;
}

function pythonRole(node: SyntaxNode): Role {
  const parent = node.parent?.name ?? '';
  if (PYTHON_DEFINERS.test(parent)) return 'definition';
  if (parent === 'ParamList') return node.prevSibling?.name === 'AssignOp' ? 'use' : 'definition';
  if (parent === 'KeywordPattern' || (parent === 'ArgList' && node.nextSibling?.name === 'AssignOp')) return 'neither';
  if (isInside(node, 'TypeDef') || (parent === 'Decorator' && node.prevSibling?.name === '.')) return 'neither';
  return isPythonTarget(target(node)) ? 'definition' : 'use';
}

function isPythonTarget(node: SyntaxNode): boolean {
  const parent = node.parent?.name ?? '';
  if (parent === 'AssignStatement') return isFollowedBy(node, /^(?:AssignOp|TypeDef)$/);
  if (parent === 'NamedExpression') return node.prevSibling === null;
  return node.prevSibling?.name === 'as' || isBetweenForAndIn(node);
}

function isFollowedBy(node: SyntaxNode, kind: RegExp): boolean {
  for (let next = node.nextSibling; next !== null; next = next.nextSibling) if (kind.test(next.name)) return true;
  return false;
}

function isBetweenForAndIn(node: SyntaxNode): boolean {
  for (let before = node.prevSibling; before !== null; before = before.prevSibling) {
    if (before.name === 'for') return true;
    if (before.name === 'in') return false;
  }
  return false;
}

function isInside(node: SyntaxNode, kind: string): boolean {
  for (let outer = node.parent; outer !== null; outer = outer.parent) if (outer.name === kind) return true;
  return false;
}

function nodeRole(node: SyntaxNode): Role {
  if (node.name !== 'VariableName') return 'definition';
  const parent = node.parent?.name ?? '';
  if (/^(?:ImportGroup|ExportGroup|TypePredicate|TypeQuery)$/.test(parent)) return 'neither';
  if (parent === 'UnaryExpression' && node.prevSibling?.name === 'typeof') return 'neither';
  const whole = target(node);
  const outer = whole.parent?.name ?? '';
  const isAssigned =
    /^(?:AssignmentExpression|For(?:In|Of)Spec)$/.test(outer) &&
    !/^(?:Equals|in|of|UpdateOp)$/.test(whole.prevSibling?.name ?? '');
  return isAssigned ? 'definition' : 'use';
}

/** Names that Python defines itself. */
export const PYTHON_GLOBALS: ReadonlySet<string> = new Set(
  `__annotations__ __builtins__ __debug__ __doc__ __file__ __loader__ __name__ __package__ __spec__ __import__ __path__ __class__ abs aiter all
  anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir
  divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance
  issubclass iter len license list locals map max memoryview min next object oct open ord pow print property quit range repr
  reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip Ellipsis False None NotImplemented True
  _ self cls reveal_type ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
  BufferError ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError EOFError
  EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError GeneratorExit IOError ImportError
  IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
  ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError PermissionError ProcessLookupError
  RecursionError ReferenceError RuntimeError StopAsyncIteration StopIteration SyntaxError SystemError SystemExit TabError TimeoutError
  TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError ValueError WindowsError
  ZeroDivisionError Warning BytesWarning DeprecationWarning EncodingWarning FutureWarning ImportWarning PendingDeprecationWarning
  ResourceWarning RuntimeWarning SyntaxWarning UnicodeWarning UserWarning`.split(/\s+/),
);

/** Names that Node defines itself. */
export const NODE_GLOBALS: ReadonlySet<string> = new Set(
  `arguments undefined NaN Infinity require module exports __dirname __filename process console Buffer Blob File FormData Headers
  Request Response fetch URL URLSearchParams TextEncoder TextDecoder AbortController AbortSignal Event EventTarget MessageChannel
  MessagePort MessageEvent BroadcastChannel WebSocket EventSource CustomEvent DOMException structuredClone queueMicrotask setTimeout setInterval setImmediate
  clearTimeout clearInterval clearImmediate performance crypto Crypto CryptoKey SubtleCrypto navigator WebAssembly Intl global globalThis
  eval isNaN isFinite parseInt parseFloat encodeURIComponent decodeURIComponent encodeURI decodeURI escape unescape atob btoa this super
  CompressionStream DecompressionStream ReadableStream WritableStream TransformStream Iterator Float16Array NodeJS async let of await`.split(
    /\s+/,
  ),
);
