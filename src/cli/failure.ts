import { DroverError, messageOf } from '../core/errors.ts';
import type { Terminal } from './context.ts';
import { toJson } from './output.ts';

/** How errors are told. */
type Style = Readonly<{ json: boolean; verbose: boolean }>;

/** Tells people, or with `--json` programs, what went wrong. On stderr always. */
export function tellFailure(thrown: unknown, terminal: Terminal, { json, verbose }: Style): void {
  const planned = thrown instanceof DroverError;
  const stack = verbose && thrown instanceof Error ? thrown.stack : undefined;
  if (json) {
    const code = planned ? thrown.code : 'UNEXPECTED';
    const details = planned ? thrown.details : {};
    terminal.err(toJson({ error: { code, message: messageOf(thrown), details, ...(stack && { stack }) } }));
    return;
  }
  const hint = planned ? '' : ' (unexpected; --verbose tells where)';
  terminal.err(`drover: ${messageOf(thrown)}${stack ? '' : hint}`);
  if (stack) terminal.err(stack);
}
