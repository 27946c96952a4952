// What the text of a …-workflow tag names: every row of the table, for every kind of scope, on both platforms.
import { posix, win32 } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  type Scope,
  hashInName,
  folderOf,
  nameInScope,
  packageKind,
  packageName,
  parentOf,
  scopeAt,
  readRemote,
  readSpecifier,
  type NamedWorkflow,
  type WorkflowPlace,
} from '../../src/protocol/scope.js';

const SHA = '0123456789abcdef'.repeat(4);
const directory: Scope = { kind: 'directory', path: '/flows/here' };
const zip: Scope = { kind: 'zip', path: '/flows/here.zip' };
const yaml: Scope = { kind: 'yaml', path: '/flows/here.v2.yml' };
const remote: Scope = { kind: 'zip', path: `/cache/${SHA}.zip`, url: `https://host/flows/here-${SHA}.zip?key=1` };

const resolve = (folder: string, path: string): string => posix.resolve(folder, path);

/** A place in short: `kind path [name] abbreviation`, for an open one the folder, then the state. */
function shown(place: WorkflowPlace): string {
  const workflow = ({ scope, name, abbreviation }: NamedWorkflow): string =>
    [scope.kind, scope.path, ...(name === undefined ? [] : [`[${name}]`]), abbreviation].join(' ');
  switch (place.kind) {
    case 'named':
      return workflow(place.workflow);
    case 'open':
      return [place.folder, ...(place.state === undefined ? [] : [place.state])].map(workflow).join(' or ');
    case 'remote':
      return `${place.workflow.url} [${place.workflow.name ?? ''}] ${place.workflow.abbreviation}`;
    case 'invalid':
      return place.message;
  }
}

const read = (specifier: string, scope: Scope): string => shown(readSpecifier({ specifier, scope, resolve }));

describe('a directory names', () => {
  test.each([
    ['../other.yaml', 'yaml /flows/other.yaml other'],
    ['sub/Reviewing.YML', 'yaml /flows/here/sub/Reviewing.YML review'],
    ['../other.zip', 'zip /flows/other.zip other'],
    [`../other-${SHA}.zip`, `zip /flows/other-${SHA}.zip other-`],
    ['../other.zip/', 'zip /flows/other.zip other'],
    ['../other/OTHER_ENTRY.md', 'directory /flows/other [OTHER_ENTRY.md] other_'],
    ['OTHER.md', 'directory /flows/here [OTHER.md] other'],
    ['../other', 'directory /flows/other other or directory /flows [other] flows'],
    ['../Another.Flow/', 'directory /flows/Another.Flow anothe'],
    ['../other/NAME', 'directory /flows/other/NAME name or directory /flows/other [NAME] other'],
    ['../other/X.sh', 'directory /flows/other/X.sh x.sh or directory /flows/other [X.sh] other'],
    ['NAME', 'directory /flows/here/NAME name or directory /flows/here [NAME] here'],
    ['../other.zip/NAME', 'zip /flows/other.zip [NAME] other'],
    ['../other.zip/NAME.md', 'zip /flows/other.zip [NAME.md] other'],
    ['../other.yaml/NAME', 'yaml /flows/other.yaml [NAME] other'],
    ['/abs/flow.zip', 'zip /abs/flow.zip flow'],
    ['.', 'directory /flows/here here or directory /flows [here] flows'],
    ['..', 'directory /flows flows or directory / [flows] '],
    ['/', 'directory / '],
    ['..\\other\\A.md', 'directory /flows/other [A.md] a'],
    ['  ../other.zip\n', 'zip /flows/other.zip other'],
    ['a/../../other.zip', 'zip /flows/other.zip other'],
  ])('%j', (specifier, place) => {
    expect(read(specifier, directory)).toBe(place);
  });
});

describe('a package in one file is a folder of its own name', () => {
  test.each<[Scope, string, string]>([
    [zip, '../other/', 'directory /flows/other other'],
    [zip, 'sub.zip', 'zip /flows/here/sub.zip sub'],
    [zip, '../here.zip/NAME', 'zip /flows/here.zip [NAME] here'],
    [yaml, '../other.yaml', 'yaml /flows/other.yaml other'],
    [yaml, 'sub/A.md', 'directory /flows/here.v2/sub [A.md] a'],
  ])('%j names %s', (scope, specifier, place) => {
    expect(read(specifier, scope)).toBe(place);
  });
});

describe('a downloaded package names packages beside it', () => {
  const other = `other-${SHA}.zip`;
  test.each([
    [`../${other}`, `https://host/flows/${other} [] other-`],
    [`../../${other}/NAME`, `https://host/${other} [NAME] other-`],
    [`..\\${other}`, `https://host/flows/${other} [] other-`],
    [`/x/${other}`, `https://host/x/${other} [] other-`],
    [`../${other}/Gr%C3%B6%C3%9Fe`, `https://host/flows/${other} [Größe] other-`],
    [`../${other}/100%`, `https://host/flows/${other} [100%] other-`],
    [`../../../../${other}`, `https://host/${other} [] other-`],
    ['A.md', `https://host/flows/here-${SHA}.zip [A.md] here-0`],
  ])('%s', (specifier, place) => {
    expect(read(specifier, remote)).toBe(place);
  });

  test.each([
    ['../other.zip', 'does not end with a zip file that has its SHA-256 in its name'],
    [`../other-${SHA.toUpperCase()}.zip`, 'lower-case hex digits'],
    [`../other-${SHA}a.zip`, 'has its SHA-256'],
    [`../other-${SHA}.yaml`, 'does not end with a zip file'],
    [`../other-${SHA}.zip/a/b`, 'does not end with a zip file'],
    ['../other/', 'does not end with a zip file'],
    [`//evil/${other}`, '"//evil/other-'],
    [`//evil/${other}`, 'is outside of https://host; a downloaded workflow can only name packages on its own server'],
    ['//', 'is outside of https://host'],
    [`javascript:${other}`, 'is outside of https://host'],
  ])('but not %s', (specifier, words) => {
    expect(readSpecifier({ specifier, scope: remote, resolve })).toEqual({
      kind: 'invalid',
      message: expect.stringContaining(words),
    });
  });
});

test.each<[string, Scope, string]>([
  ['', directory, 'the name of a workflow is empty'],
  [' \n', directory, 'the name of a workflow is empty'],
  ['../a\nb/', directory, 'write it in one line'],
  ['../a\0/', directory, 'write it in one line'],
  ['https://host/x.zip', directory, 'is an address; name a workflow by a path relative to this one'],
  [`https://host/x-${SHA}.zip`, remote, 'is an address'],
  ['file:///etc/passwd', zip, 'is an address'],
  ['../other.zip/NAME/', directory, 'names a state of a zip file; remove the slash'],
  ['../other.yml/NAME/', directory, 'names a state of a yaml file'],
])('%j is a mistake', (specifier, scope, words) => {
  expect(readSpecifier({ specifier, scope, resolve })).toEqual({
    kind: 'invalid',
    message: expect.stringContaining(words),
  });
});

test.each([
  ['../other/A.md', 'directory C:\\flows\\other [A.md] a'],
  ['..\\other.zip\\NAME', 'zip C:\\flows\\other.zip [NAME] other'],
  ['D:/x.yaml', 'yaml D:\\x.yaml x'],
  ['/top', 'directory C:\\top top or directory C:\\ [top] '],
])('on Windows, %s', (specifier, place) => {
  const scope: Scope = { kind: 'directory', path: 'C:\\flows\\here' };
  expect(shown(readSpecifier({ specifier, scope, resolve: (folder, path) => win32.resolve(folder, path) }))).toBe(
    place,
  );
});

describe('an address', () => {
  test.each([
    [`http://host:81/a/${SHA}.zip`, `http://host:81/a/${SHA}.zip [] 012345`],
    [`https://host/f-${SHA}.ZIP?k=v#part`, `https://host/f-${SHA}.ZIP?k=v [] f-0123`],
    [`https://host/f-${SHA}.zip/START`, `https://host/f-${SHA}.zip [START] f-0123`],
    [`https://host/f-${SHA}.zip/START?k=v`, `https://host/f-${SHA}.zip?k=v [START] f-0123`],
  ])('%s', (address, place) => {
    expect(shown(readRemote(address))).toBe(place);
  });

  test.each([
    ['ftp://host/x.zip', 'not an http or https address'],
    ['https://', 'not an http or https address'],
    [`https://me:secret@host/f-${SHA}.zip`, 'the address of host contains a user name or password'],
    ['https://host/', 'does not end with a zip file'],
  ])('%s is a mistake', (address, words) => {
    expect(readRemote(address)).toEqual({ kind: 'invalid', message: expect.stringContaining(words) });
  });
});

test.each([
  ['flow.zip', 'none'],
  [`${SHA}.zip`, SHA],
  [`Flow-${SHA.toUpperCase()}.zip`, SHA],
  [`${SHA.slice(1)}.zip`, 'none'],
  [`flow-${SHA}0.zip`, 'ambiguous'],
  [`cafe-${SHA}.zip`, SHA],
  [`cafe${SHA}.zip`, 'ambiguous'],
  [`${SHA}-${SHA}.zip`, 'ambiguous'],
])('the hash in %s', (name, expected) => {
  const found = hashInName(name);
  expect(found.kind === 'hash' ? found.sha256 : found.kind).toBe(expected);
});

test.each([
  ['/a/flow', ['directory', '/a/flow', '/a']],
  ['/a/flow.ZIP', ['zip', '/a/flow', '/a']],
  ['/a/flow.x.yaml', ['yaml', '/a/flow.x', '/a']],
  ['/flow.yml', ['yaml', '/flow', '/']],
  ['/a.zip/flow', ['directory', '/a.zip/flow', '/a.zip']],
  ['C:\\flow.zip', ['zip', 'C:\\flow', 'C:\\']],
  ['/', ['directory', '/', '/']],
])('kind, folder and parent of %s', (path, expected) => {
  const scope = scopeAt(path);
  expect([scope.kind, folderOf(scope), parentOf(path)]).toEqual(expected);
  expect(packageKind(path) ?? 'directory').toBe(scope.kind);
});

test.each<[string, Scope]>([
  ['flow', { kind: 'directory', path: '/a/flow' }],
  ['flow.v2', { kind: 'directory', path: `/store/packages/${SHA}`, origin: '/a/flow.v2' }],
  ['flow', { kind: 'zip', path: `/a/flow-${SHA}.zip` }],
  ['flow-x', { kind: 'zip', path: `/a/${SHA}-flow-x.zip` }],
  ['flow', { kind: 'zip', path: `/a/${SHA}.zip`, url: `https://h.example/p/flow-${SHA}.zip?x=1/y.zip` }],
  [SHA.slice(0, 12), { kind: 'zip', path: `/a/${SHA}.zip` }],
  ['flow', { kind: 'yaml', path: `/store/packages/${SHA}.yaml`, origin: '/a/flow.yml' }],
])('%s is what people call %j', (name, scope) => {
  expect(packageName(scope)).toBe(name);
});

test('what a frozen package names lies beside its origin', () => {
  const scope: Scope = { kind: 'zip', path: `/store/packages/${SHA}.zip`, origin: '/a/flow.zip' };
  expect([folderOf(scope), read('../other.zip', scope)]).toEqual(['/a/flow', 'zip /a/other.zip other']);
});

test('in a YAML file a target may have any extension, elsewhere it is a file name', () => {
  expect(['B.md', 'B.SH', 'B.txt', 'B'].map((name) => nameInScope(yaml, name))).toEqual(['B', 'B', 'B.txt', 'B']);
  expect([directory, zip].map((scope) => nameInScope(scope, 'B.md'))).toEqual(['B.md', 'B.md']);
});
