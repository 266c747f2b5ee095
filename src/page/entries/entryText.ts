import { describeScope } from '../../domain/operator/tradingState.ts';
import { shortAmounts } from '../../domain/shortAmounts.ts';
import { currentEvent } from '../../store/storedNames.ts';
import type { EntryView } from '../connection/connection.ts';
import { fieldsIn, listIn, textIn, type Fields } from './fields.ts';
import { eventText, stepText, termsText } from './orderText.ts';

/** Event of an entry under current names: stored entries keep the names under which they were first written. */
export const eventOf = (entry: EntryView): Fields & Pick<EntryView, 'kind'> => currentEvent(entry);

/** Words for the kind of an entry: `intent created`. */
export const kindText = (kind: string): string =>
  kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const ownerText = (strategyId: unknown): string => (strategyId === '' ? 'unallocated' : textIn(strategyId));

const scopeOf = (fields: Fields): string => describeScope(fieldsIn(fields['scope']));

/** Meanings of entries about orders, by kind. */
const OF_ORDERS: Readonly<Record<string, (event: Fields) => string>> = {
  intentCreated({ intent }) {
    const { strategyId, terms, symbol, reason } = fieldsIn(intent);
    return `${ownerText(strategyId)} decides: ${termsText(fieldsIn(terms), textIn(symbol))}: ${textIn(reason)}`;
  },
  intentDeferred: ({ why }) => `put off: ${textIn(why)}`,
  intentEnded: ({ how, why }) => `the decision ended as ${textIn(how)}: ${textIn(why)}`,
  planned({ order }) {
    const terms = fieldsIn(fieldsIn(order)['terms']);
    return `planned, and its money reserved: ${termsText(terms, textIn(terms['symbol']))}`;
  },
  order: ({ event }) => eventText(fieldsIn(event)),
  fillDelivered: () => 'the fill was passed to its strategy',
  syntheticPlaced({ order }) {
    const { strategyId, terms, symbol, reason } = fieldsIn(order);
    return `the bot holds for ${ownerText(strategyId)}: ${textIn(fieldsIn(terms)['kind'])} of ${textIn(symbol)}: ${textIn(reason)}`;
  },
  syntheticMoved: ({ event }) => stepText(fieldsIn(event)),
  syntheticEnded: ({ how, why }) => `the held order ended as ${textIn(how)}: ${textIn(why)}`,
  transferPlanned: ({ transfer }) => {
    const { terms, cause } = fieldsIn(transfer);
    const { kind, amount, symbol } = fieldsIn(terms);
    return `${kindText(textIn(kind))} of ${textIn(amount)} ${textIn(symbol)}: ${textIn(cause)}`;
  },
  transfer: ({ event }) => eventText(fieldsIn(event)),
};

/** Meanings of entries about the run and its strategies, by kind. */
const OF_THE_RUN: Readonly<Record<string, (event: Fields) => string>> = {
  epoch: ({ epoch }) => `start ${textIn(epoch)} on this journal`,
  ended: ({ how, why }) => `the run ended ${textIn(how)}: ${textIn(why)}`,
  started: () => 'strategies start acting',
  stopping: () => 'strategies stop acting',
  opened: ({ equity, cash }) =>
    `the account opens with ${textIn(equity)} mUSD, ${textIn(cash)} mUSD of it in cash`,
  allocated: ({ strategyId, amount }) => `${ownerText(strategyId)} gets ${textIn(amount)} mUSD`,
  strategyStarted: ({ strategyId }) => `${ownerText(strategyId)} starts`,
  strategyRestarted: ({ strategyId, why }) =>
    `${ownerText(strategyId)} restarts from its saved state: ${textIn(why)}`,
  strategyStopped: ({ strategyId, error }) => `${ownerText(strategyId)} has stopped: ${textIn(error)}`,
  strategyState: ({ strategyId, state }) => `${ownerText(strategyId)} remembers ${JSON.stringify(state)}`,
  timer: ({ strategyId, timer }) => `${ownerText(strategyId)}: the timer ${textIn(timer)}`,
  fetched: ({ strategyId, name, text }) =>
    `${ownerText(strategyId)} is given ${textIn(name)}${text === undefined ? ', the same as before' : ''}`,
  logged: ({ strategyId, text }) => `${ownerText(strategyId)}: ${textIn(text)}`,
  plotted: ({ strategyId, series }) =>
    `${ownerText(strategyId)} plots ${listIn(series)
      .map(
        (one) => `${textIn(fieldsIn(one)['name'])} ${textIn(listIn(fieldsIn(one)['values']).at(-1) ?? '–')}`,
      )
      .join(', ')}`,
  session: ({ change, date }) => `the session of ${textIn(date)} has ${textIn(change)}`,
  frozen: ({ symbol, why }) => `${textIn(symbol)} is frozen: ${textIn(why)}`,
  released: ({ symbol, reason }) => `${textIn(symbol)} is released: ${textIn(reason)}`,
  operator: ({ by, reason, command }) =>
    `${textIn(by)} asks ${commandText(fieldsIn(command))}: ${textIn(reason)}`,
  operatorAnswered: ({ answer }) => `the answer: ${textIn(fieldsIn(answer)['text'])}`,
  restricted: (event) =>
    `${scopeOf(event)} is ${textIn(event['state'])} by ${textIn(event['by'])}: ${textIn(event['reason'])}`,
  restrictionLifted: (event) =>
    `${scopeOf(event)} is lifted by ${textIn(event['by'])}: ${textIn(event['reason'])}`,
  flattened: ({ why }) => `the flatten has ended: ${textIn(why)}`,
  denied: ({ method, path }) => `not signed: ${textIn(method)} ${textIn(path)}`,
  difference: ({ asset, expected, actual }) =>
    `${textIn(asset)}: ${textIn(actual)} instead of ${textIn(expected)}`,
  quotes: ({ prices }) =>
    listIn(prices)
      .map((one) => listIn(one).map(textIn).join(' at '))
      .join(', '),
  bar({ bar }) {
    const { symbol, interval, close } = fieldsIn(bar);
    return `${textIn(symbol)}: a bar of ${textIn(interval)} closes at ${textIn(close)}`;
  },
  instruments: ({ instruments }) =>
    `terms of ${listIn(instruments)
      .map((one) => textIn(fieldsIn(one)['symbol']))
      .join(', ')}`,
};

const MEANINGS = new Map([...Object.entries(OF_ORDERS), ...Object.entries(OF_THE_RUN)]);

/** Maximum number of characters of fields shown when there is no text. */
const LONGEST = 240;

/** An entry in words, or its fields if there are no words for it. Amounts are rounded for people. */
export function entryText(entry: EntryView): string {
  const event = eventOf(entry);
  const meaning = MEANINGS.get(event.kind);
  return shortAmounts(meaning === undefined ? fieldsText(event) : meaning(event));
}

function fieldsText(event: Fields): string {
  const { seq: _seq, at: _at, kind: _kind, ...content } = event;
  const text = Object.entries(content)
    .map(([name, value]) => `${kindText(name)} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Order, intent or transfer that an entry is about. `isOrder`: its history can be shown. Null if it is about none. */
export function subjectOf(entry: EntryView): Readonly<{ id: string; isOrder: boolean }> | null {
  const { kind, id, intent, order, transfer } = eventOf(entry);
  if (!Object.hasOwn(OF_ORDERS, kind)) return null;
  const found = [id, ...[intent, order, transfer].map((part) => fieldsIn(part)['id'])]
    .map(textIn)
    .find((text) => text !== '');
  return found === undefined
    ? null
    : { id: found, isOrder: ['planned', 'order', 'fillDelivered'].includes(kind) };
}

/** Request contained in an entry, with its body parsed; null for an entry without one. */
export function bytesOf(entry: EntryView): unknown {
  const request = entry['request'];
  return request === undefined || request === null ? null : request;
}

/** Meanings of commands, by kind. */
const COMMANDS: Readonly<Record<string, (command: Fields) => string>> = {
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
    return preview === true ? `to show what accepting ${balance} would change` : `to accept ${balance}`;
  },
  acceptOrder: ({ txHash }) => `to accept the external order ${textIn(txHash)}`,
  resolve: ({ id }) => `to resolve ${textIn(id)}`,
  acknowledge: ({ alarm }) => `to acknowledge ${alarm === undefined ? 'every alarm' : textIn(alarm)}`,
  order: ({ terms, symbol }) => `to ${termsText(fieldsIn(terms), textIn(symbol))}`,
  transfer: () => 'for a transfer',
  reload: ({ dryRun }) => (dryRun === true ? 'what a reload would change' : 'to reload the config'),
  stop: ({ cancel }) => `to end the run${cancel === true ? ', orders cancelled' : ''}`,
};

/** A command in words, to follow "asks": `to flatten strategy trend`. An unknown one is named by its kind. */
function commandText(command: Fields): string {
  const kind = textIn(command['kind']);
  return COMMANDS[kind]?.(command) ?? `for ${kind}`;
}
