import { describeScope } from '../../domain/operator/tradingState.ts';
import { fieldsIn, listIn, textIn, type Fields } from './fields.ts';
import { termsText } from './orderText.ts';

const scopeOf = ({ scope }: Fields): string => describeScope(fieldsIn(scope));

/** Meanings of commands, by kind. */
const MEANINGS: Readonly<Record<string, (command: Fields) => string>> = {
  trade: (command) =>
    `that trading of ${scopeOf(command)} be ${textIn(command['state'])}${command['cancel'] === true ? ', orders cancelled' : ''}`,
  cancel: (command) =>
    listIn(command['orders']).length > 0
      ? `to cancel ${listIn(command['orders']).map(textIn).join(', ')}`
      : `to cancel the orders of ${scopeOf(command)}`,
  flatten: (command) =>
    `to flatten ${scopeOf(command)}${command['unallocated'] === true ? ' and what is unallocated' : ''}`,
  freeze: ({ symbol }) => `to freeze ${textIn(symbol)}`,
  unfreeze: ({ subject }) => `to unfreeze ${textIn(subject)}`,
  accept({ asset, preview }) {
    const balance = `the venue's balance of ${textIn(asset)}`;
    return preview === true ? `to show what accepting ${balance} would take` : `to accept ${balance}`;
  },
  acceptOrder: ({ txHash }) => `to accept the external order ${textIn(txHash)}`,
  resolve: ({ id }) => `to resolve ${textIn(id)}`,
  acknowledge: ({ alarm }) => `to acknowledge ${alarm === undefined ? 'every alarm' : textIn(alarm)}`,
  order: ({ terms, symbol }) => `to ${termsText(fieldsIn(terms), textIn(symbol))}`,
  transfer: () => 'for a transfer',
  reload: ({ dryRun }) => (dryRun === true ? 'what a reload would change' : 'to reload the config'),
  stop: ({ cancel }) => `to end the run${cancel === true ? ', orders cancelled' : ''}`,
};

/** A command in words, to follow "asks": `to flatten strategy trend`. One that is not known here is called by its kind. */
export function commandText(command: Fields): string {
  const kind = textIn(command['kind']);
  return MEANINGS[kind]?.(command) ?? `for ${kind}`;
}
