import { codeOf, ConfigError, DroverError, messageOf } from '../core/errors.ts';

/** What a path was wanted for, as in `cannot be the log`, and what to do when it cannot. */
export type PathUse = Readonly<{ what: string; remedy: string }>;

/**
 * Works at a path.
 * @throws {ConfigError} with the path, what the system says, and the remedy
 */
export function atPath<T>(path: string, { what, remedy }: PathUse, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof DroverError || codeOf(cause) === null) throw cause;
    throw new ConfigError(`${path} cannot be ${what}: ${messageOf(cause)}. ${remedy}`, { path }, { cause });
  }
}
