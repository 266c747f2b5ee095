import { ConfigError, messageOf } from '../../core/errors.ts';
import { oneLine } from '../../core/printable.ts';
import type { CommandContext } from '../../process/context.ts';
import { InterruptedError } from '../../process/terminal.ts';
import { parseDecimal, type DecimalRule } from '../../core/amount.ts';

/** Action to confirm: one line that says what will be done, and details that a person should know. */
export type Plan = Readonly<{ what: string; facts: readonly (readonly [name: string, value: string])[] }>;

/** Maximum length of a line. It may contain the venue's name of a token, which must not add a line to the plan. */
const LINE_MAX = 500;

/**
 * Shows a plan and asks for confirmation; `yes` gives it in advance.
 * @throws {ConfigError} when nobody is there to ask
 * @throws {InterruptedError} when the answer is no
 */
export function confirm({ what, facts }: Plan, yes: boolean, { terminal, keyboard }: CommandContext): void {
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = [what, ...facts.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)];
  terminal.err(lines.map((line) => oneLine(line, LINE_MAX)).join('\n'));
  if (yes) return;
  if (!keyboard.present)
    throw new ConfigError(
      'there is no terminal to confirm it, so nothing was sent. Pass --yes to send without asking',
    );
  if (!/^y(es)?$/i.test(keyboard.ask('Do it? [y/N] '))) throw new InterruptedError('nothing was sent');
}

type Argument = DecimalRule & Readonly<{ what: string; orNothing?: boolean }>;

/** An amount from the command line, above zero, or `orNothing`. @throws {ConfigError} naming the argument */
export function amountOf(text: string, { what, orNothing = false, ...rule }: Argument): bigint {
  const amount = parsed(text, what, rule);
  if (amount > 0n || orNothing) return amount;
  throw new ConfigError(`${what} must be more than 0`);
}

function parsed(text: string, what: string, rule: DecimalRule): bigint {
  try {
    return parseDecimal(text, rule);
  } catch (error) {
    throw new ConfigError(`${what}: ${messageOf(error)}`);
  }
}
