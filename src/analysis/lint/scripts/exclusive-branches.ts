// Finds the branches of a script of which only one runs, to see whether two of its places can be on one path. Pure.
import type { Step } from '../../program/program.js';
import { nodesOf } from '../../shell/walk.js';
import type { ScriptState } from '../helpers.js';

/** A branch of a choice. */
interface Branch {
  readonly at: number;
  readonly end: number;
  /** The number of its choice. */
  readonly choice: number;
  /** True if the script, or its function, ends with the branch. */
  readonly isLast: boolean;
}

/** Tells whether a script can come from one offset to the other. */
export function sharesPath({ source }: ScriptState): (one: number, other: number) => boolean {
  const { shell, program } = source.script;
  const branches =
    shell === undefined
      ? programBranches(program?.steps ?? [], program?.functions ?? new Map())
      : shellBranches(shell.ast);
  const isIn = ({ at, end }: Branch, offset: number): boolean => at <= offset && offset < end;
  return (one, other) =>
    branches.every((branch) => {
      if (!isIn(branch, one) || isIn(branch, other)) return true;
      const isInOther = branches.some(
        (rival) => rival !== branch && rival.choice === branch.choice && isIn(rival, other),
      );
      return !isInOther && !branch.isLast;
    });
}

type Root = Parameters<typeof nodesOf>[0];

function shellBranches(root: Root): readonly Branch[] {
  const lists = [
    ...nodesOf(root, 'If').map(({ then, elif, else: otherwise }) => [
      then,
      ...elif.map((one) => one.then),
      ...(otherwise === undefined ? [] : [otherwise]),
    ]),
    ...nodesOf(root, 'Case').map(({ items }) => items.map(({ body }) => body)),
  ];
  return lists.flatMap((bodies, choice) =>
    bodies.map(({ pos, end, commands }) => {
      const last = commands.at(-1)?.command;
      const isLast = last?.type === 'Command' && /^(?:exit|return)$/.test(last.name?.value ?? '');
      return { at: pos, end, choice, isLast };
    }),
  );
}

function programBranches(
  steps: readonly Step[],
  functions: ReadonlyMap<string, { readonly body: readonly Step[] }>,
): readonly Branch[] {
  const found: Branch[] = [];
  let choices = 0;
  const visit = (all: readonly Step[]): void => {
    for (const step of all) {
      if (step.kind === 'choice') {
        choices += 1;
        for (const { body } of step.branches) {
          const [first, last] = [body[0], body.at(-1)];
          if (first !== undefined && last !== undefined)
            found.push({
              at: first.at,
              end: last.end,
              choice: choices,
              isLast: /^(?:return|throw|exit)$/.test(last.kind),
            });
          visit(body);
        }
      } else if (step.kind === 'loop' || step.kind === 'block' || step.kind === 'try') visit(step.body);
    }
  };
  visit(steps);
  for (const { body } of functions.values()) visit(body);
  return found;
}
