import type { EntryView } from '../connection/connection.ts';

type Fields = Readonly<Record<string, unknown>>;
const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
const textIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** What an event of an order means, by its stored kind. */
const EVENTS: Readonly<Record<string, (event: Fields) => string>> = {
  sent: () => 'sent to the venue',
  accepted: ({ txHash }) => `accepted by the venue in transaction ${textIn(txHash)}`,
  refused: ({ reason }) => `refused: ${textIn(reason)}`,
  lost: ({ reason }) => `no answer, so the venue may or may not have it: ${textIn(reason)}`,
  mistaken: ({ reason }) => `the answer was that of another order: ${textIn(reason)}`,
  abandoned: ({ reason }) => `not sent: ${textIn(reason)}`,
  reported: (event) => reportText(fieldsIn(event['report'])),
  reopened: () => 'open again: the chain has undone its end',
  endClaimed: () => 'one source reports an end without a fill; the account has to confirm it',
  absent: ({ assumed }) => (assumed === true ? 'assumed never placed' : 'proved never placed'),
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

/** What other entries of the life of an order mean, by their stored kind. */
const ENTRIES: Readonly<Record<string, (entry: EntryView) => string>> = {
  wished: (entry) => `decided: ${textIn(fieldsIn(entry['wish'])['reason'])}`,
  wishMoved: ({ why }) => `put off: ${textIn(why)}`,
  wishEnded: ({ how, why }) => `the decision ended ${textIn(how)}: ${textIn(why)}`,
  planned: () => 'planned, and its money reserved',
  told: () => 'the strategy was told of its fill',
  order(entry) {
    const event = fieldsIn(entry['event']);
    const kind = textIn(event['kind']);
    return EVENTS[kind]?.(event) ?? kind;
  },
};

/** An entry of the life of an order in words. */
export const entryText = (entry: EntryView): string => ENTRIES[entry.kind]?.(entry) ?? entry.kind;

/** Request that an entry keeps, its body as the venue reads it; null for an entry without one. */
export function bytesOf(entry: EntryView): unknown {
  const request = entry['request'];
  return request === undefined || request === null ? null : request;
}
