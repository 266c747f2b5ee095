import { ConfigError } from '../core/errors.ts';

/** Most characters of a source line that a message shows. */
const SOURCE_MAX = 160;

/** A place in a source file. Line and column count from 1; `source` is that line. */
export type SourcePlace = Readonly<{ file: string; line: number; column: number; source: string }>;

export type SourceProblem = Readonly<{
  problem: string;
  remedy: string;
  place: SourcePlace;
  cause?: unknown;
}>;

/** What is wrong with a file, what to do about it, and the line itself with a mark under the place. */
export function sourceError({ problem, remedy, place, cause }: SourceProblem): ConfigError {
  const { file, line, column } = place;
  const source = place.source.slice(0, SOURCE_MAX);
  const gutter = `  ${line} | `;
  const indent = source.slice(0, column - 1).replace(/[^\t]/g, ' ');
  const mark = `${' '.repeat(gutter.length - 2)}| ${indent}^`;
  return new ConfigError(
    `${file}:${line}:${column}: ${problem}. ${remedy}\n${gutter}${source}\n${mark}`,
    { problem, remedy, ...place, source },
    { cause },
  );
}
