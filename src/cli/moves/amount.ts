import { parseDecimal, type DecimalRule } from '../../core/amount.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';

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
