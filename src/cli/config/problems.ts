import type { Redact } from '../../api/failures.ts';
import { ConfigError } from '../../core/errors.ts';

/** Path from the root to a value: keys of mappings, and indexes of lists. */
export type Path = readonly (string | number)[];

/** Counted from 1. */
export type Position = Readonly<{ line: number; column: number }>;

/** One thing that is wrong, and what to do about it. */
export type Problem = Readonly<{ path: Path; problem: string; remedy?: string; at?: 'key' | 'value' }>;

/** A problem at its place. `where` is `file:line:column`, or the flag that brought the value. */
export type PlacedProblem = Problem & Readonly<{ where: string; position?: Position }>;

/** `strategies[0].params.fast` */
export const pathText = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');

function lineOf({ where, path, problem, remedy }: PlacedProblem): string {
  const subject = path.length > 0 ? `${pathText(path)}: ` : '';
  return `${where}: ${subject}${problem}${remedy ? `. ${remedy}` : ''}`;
}

/** One error for all that is wrong, in the order of the file, one line each. A secret that stands in a path is masked. */
export function configError(problems: readonly PlacedProblem[], redact: Redact): ConfigError {
  const ordered = [...problems].sort(
    (a, b) =>
      (a.position?.line ?? 0) - (b.position?.line ?? 0) ||
      (a.position?.column ?? 0) - (b.position?.column ?? 0),
  );
  return new ConfigError(redact(ordered.map(lineOf).join('\n')), {
    problems: ordered.map(({ path, where, position, problem, remedy }) => ({
      where: redact(where),
      ...position,
      path: redact(pathText(path)),
      problem: redact(problem),
      ...(remedy === undefined ? {} : { remedy }),
    })),
  });
}
