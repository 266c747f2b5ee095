import { parseDecimal, type DecimalRule } from '../../core/amount.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';

/** An amount from the command line, above zero. @throws {ConfigError} naming the argument */
export function amountOf(text: string, { what, ...rule }: DecimalRule & Readonly<{ what: string }>): bigint {
  const amount = parsed(text, what, rule);
  if (amount > 0n) return amount;
  throw new ConfigError(`${what} must be more than 0`);
}

function parsed(text: string, what: string, rule: DecimalRule): bigint {
  try {
    return parseDecimal(text, rule);
  } catch (error) {
    throw new ConfigError(`${what}: ${messageOf(error)}`);
  }
}
