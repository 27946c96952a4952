// What is under deploy/ for operators: valid by the schemas of Kubernetes and KEDA, understood by systemd, and in step with the code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { execa } from 'execa';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import { parseConfig } from '../src/client/project/config.js';
import { findOnPath } from '../src/host/files.js';
import { folder } from './support/folder.js';
import { testUnless } from './support/unless.js';
import { program } from './support/program.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifests = join(root, 'deploy/kubernetes');

/** The kinds in use: where their types are, and what checks them. */
const KINDS = {
  ConfigMap: { module: 'kubernetes-models/v1', Model: ConfigMap },
  Deployment: { module: 'kubernetes-models/apps/v1', Model: Deployment },
  Job: { module: 'kubernetes-models/batch/v1', Model: Job },
  PersistentVolumeClaim: { module: 'kubernetes-models/v1', Model: PersistentVolumeClaim },
  PodDisruptionBudget: { module: 'kubernetes-models/policy/v1', Model: PodDisruptionBudget },
  ScaledObject: { module: '@kubernetes-models/keda/keda.sh/v1alpha1', Model: ScaledObject },
  Service: { module: 'kubernetes-models/v1', Model: Service },
  StatefulSet: { module: 'kubernetes-models/apps/v1', Model: StatefulSet },
} as const;

interface Manifest {
  readonly file: string;
  readonly kind: keyof typeof KINDS;
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const all: readonly Manifest[] = readdirSync(manifests).flatMap((file) =>
  parseAllDocuments(readFileSync(join(manifests, file), 'utf8')).map((document) => {
    expect(document.errors).toEqual([]);
    const body = document.toJS() as { kind: keyof typeof KINDS; metadata: { name: string } };
    return { file, kind: body.kind, name: body.metadata.name, body: { ...body } };
  }),
);

/** The value at a path, whatever is there. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
}

/** The flags of `raymond fleet worker`. */
const flags = program.commands.find((command) => command.name() === 'worker')!.options.map(({ long }) => long!);

describe('the manifests for Kubernetes', () => {
  test.each(all)('$file: $kind $name is valid', ({ kind, body }) => {
    const { Model } = KINDS[kind];
    expect(() => (new Model(body as never) as { validate: () => void }).validate()).not.toThrow();
  });

  test('would not be valid with a value of another type', () => {
    expect(() => new Deployment({ spec: { replicas: 'two' } } as never).validate()).toThrow('replicas must be integer');
  });

  test('have no field that Kubernetes does not know', async () => {
    const lines = all.map(({ kind, body }, number) => {
      const type = `import('${KINDS[kind].module}').I${kind}`;
      return `export const manifest${number}: ${type} = ${JSON.stringify(body)};`;
    });
    expect(faultsOf(await compiled(lines))).toBe('');
    const wrong = lines[0]!.replace('"metadata":', '"metdata":');
    expect(faultsOf(await compiled([wrong]))).toContain('"metdata"\' does not exist');
  }, 120_000);

  test('give workers flags that they have, and more time to drain than they take', () => {
    const workers = all.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
    expect(workers).toHaveLength(2);
    for (const { body } of workers) {
      const pod = at(body, 'spec', 'template', 'spec');
      const words = at(pod, 'containers', 0, 'args') as readonly string[];
      expect(words.slice(0, 2)).toEqual(['raymond', 'worker']);
      expect(flags).toEqual(expect.arrayContaining(words.filter((word) => word.startsWith('--'))));
      const drain = Number(words[words.indexOf('--drain') + 1]);
      expect(at(pod, 'terminationGracePeriodSeconds')).toBeGreaterThan(drain);
      const ports = at(pod, 'containers', 0, 'ports') as readonly { name: string; containerPort: number }[];
      for (const name of ['health', 'metrics'])
        expect(words[words.indexOf(`--${name}`) + 1]).toBe(
          `0.0.0.0:${ports.find((port) => port.name === name)?.containerPort}`,
        );
    }
  });

  test('have a config that Raymond reads', () => {
    const text = at(all.find(({ kind }) => kind === 'ConfigMap')?.body, 'data', 'config.toml') as string;
    expect(parseConfig(text, 'config.toml').config).toMatchObject({ artifact_store: 's3://raymond/artifacts' });
  });

  test('scale what is there, by figures that workers show', () => {
    const { body } = all.find(({ kind }) => kind === 'ScaledObject')!;
    const target = at(body, 'spec', 'scaleTargetRef', 'name');
    expect(all.some(({ kind, name }) => kind === 'Deployment' && name === target)).toBe(true);
    const query = at(body, 'spec', 'triggers', 0, 'metadata', 'query') as string;
    const figures = query.match(/raymond_\w+/g) ?? [];
    expect(figures).toContain('raymond_prompts_waiting');
    const meters = readFileSync(join(root, 'src/telemetry/meters.ts'), 'utf8');
    for (const figure of figures) expect(meters).toContain(`'${figure}'`);
  });
});

/** A file of these lines, where it finds the types. */
async function compiled(lines: readonly string[]): Promise<ts.Program> {
  const place = await folder({ 'manifests.ts': `${lines.join('\n')}\n` });
  return ts.createProgram([join(place, 'manifests.ts')], {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    paths: { '*': [join(root, 'node_modules/*')] },
  });
}

function faultsOf(checked: ts.Program): string {
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(checked), ts.createCompilerHost({}));
}

describe('the unit for systemd', () => {
  const unit = readFileSync(join(root, 'deploy/systemd/raymond-worker.service'), 'utf8');
  const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  test('calls a worker with flags that it has, and waits longer for it than it drains', () => {
    const words = setting('ExecStart').split(' ');
    expect(words.slice(1, 4)).toEqual(['raymond', 'fleet', 'worker']);
    expect(flags).toEqual(expect.arrayContaining(words.filter((word) => word.startsWith('--'))));
    expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(Number(words[words.indexOf('--drain') + 1]));
  });

  const analyze = findOnPath('systemd-analyze', { path: process.env['PATH'] ?? '', cwd: root });
  testUnless(analyze === undefined ? 'there is no systemd-analyze' : undefined)(
    'is one that systemd-analyze understands',
    async () => {
      const place = await folder({ 'raymond-worker.service': unit });
      const { all: said } = await execa(
        'systemd-analyze',
        ['verify', '--man=no', join(place, 'raymond-worker.service')],
        {
          all: true,
          reject: false,
        },
      );
      // Not everywhere is there a user of that name.
      const faults = said.split('\n').filter((line) => line.includes('raymond-worker.service'));
      expect(faults).toEqual([]);
    },
  );
});
