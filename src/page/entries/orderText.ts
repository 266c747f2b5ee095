import { fieldsIn, textIn, type Fields } from './fields.ts';

/** Terms of an order, intent or held order: `buy 22.5 NVDA at 88.97`, `bring SPY to 45 %`. */
export function termsText(terms: Fields, symbol: string): string {
  const kind = textIn(terms['kind']);
  if (kind === 'target') return `bring ${symbol} to ${targetText(fieldsIn(terms['to']))}`;
  const side = textIn(terms['side']) || (kind.startsWith('sell') ? 'sell' : 'buy');
  const quantity = textIn(terms['quantity']);
  const price = textIn(terms['price']);
  const size =
    quantity === '' ? `${side} ${symbol} for ${textIn(terms['notional'])}` : `${side} ${quantity} ${symbol}`;
  return price === '' ? size : `${size} at ${price}`;
}

function targetText(to: Fields): string {
  const weight = to['weight'];
  if (typeof weight === 'number') return `${Number((weight * 100).toFixed(2))} %`;
  return to['quantity'] === undefined ? `${textIn(to['notional'])} mUSD` : `${textIn(to['quantity'])} shares`;
}

/** Texts for the events of an order. */
const EVENTS: Readonly<Record<string, (event: Fields) => string>> = {
  sent: () => 'sent to the venue',
  accepted: ({ txHash }) => `accepted by the venue in transaction ${textIn(txHash)}`,
  refused: ({ reason }) => `refused: ${textIn(reason)}`,
  lost: ({ reason }) => `no answer, so the venue may or may not have it: ${textIn(reason)}`,
  mistaken: ({ reason }) => `the answer belonged to another order: ${textIn(reason)}`,
  abandoned: ({ reason }) => `not sent: ${textIn(reason)}`,
  reported: (event) => reportText(fieldsIn(event['report'])),
  reopened: () => 'open again: the chain undid its end',
  endClaimed: () => 'one source reports an end without a fill; the account has to confirm it',
  absent: ({ assumed }) => (assumed === true ? 'assumed never placed' : 'proven never placed'),
  cancelWanted: () => 'about to be cancelled',
  cancelSent: () => 'cancel sent',
  cancelAccepted: ({ txHash }) => `cancel accepted in transaction ${textIn(txHash)}`,
  cancelRefused: ({ reason }) => `cancel refused: ${textIn(reason)}`,
  cancelLost: () => 'no answer to the cancel',
};

function reportText(report: Fields): string {
  const { price, pay, receive } = fieldsIn(report['settlement']);
  const status = textIn(report['status']);
  if (price === undefined) return `the venue shows it as ${status}`;
  return `the venue shows it as ${status} at ${textIn(price)}: paid ${textIn(pay)}, received ${textIn(receive)}`;
}

/** Text for an event of an order; its kind if there is none. */
export function eventText(event: Fields): string {
  const kind = textIn(event['kind']);
  return EVENTS[kind]?.(event) ?? kind;
}

const pricesText = ({ stop, takeProfit, secondTakeProfit }: Fields): string =>
  [
    `stop ${textIn(stop) || 'none'}`,
    `take-profit ${textIn(takeProfit) || 'none'}`,
    ...(secondTakeProfit === undefined ? [] : [`second take-profit ${textIn(secondTakeProfit)}`]),
  ].join(', ');

/** Texts for the steps of a held order. */
const STEPS: Readonly<Record<string, (event: Fields) => string>> = {
  levels: (event) => pricesText(event),
  adjusted: (event) => `moved by its strategy: ${pricesText(event)}`,
  entered: ({ price }) => `the stop of its entry was touched at ${textIn(price)}`,
  triggered: ({ cause, price }) =>
    `triggered by ${textIn(cause)}${price === null ? '' : ` at ${textIn(price)}`}`,
  volume: ({ allowed }) => `may trade ${textIn(allowed)} shares in all, by the volume`,
  ending: ({ how, why }) => `is to end as ${textIn(how)}: ${textIn(why)}`,
};

/** Text for a step of a held order. */
export function stepText(event: Fields): string {
  const kind = textIn(event['kind']);
  return STEPS[kind]?.(event) ?? kind;
}
