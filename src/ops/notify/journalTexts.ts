import { ownerName } from '../../domain/account/ledger.ts';
import { moneyText, priceText, sharesText } from '../../domain/amountText.ts';
import { shortAmounts } from '../../domain/shortAmounts.ts';
import { describeTerms } from '../../domain/describe.ts';
import type { JournalEvent } from '../../domain/journalEvent.ts';
import type { CommandOf } from '../../domain/operator/command.ts';
import { describeScope } from '../../domain/operator/tradingState.ts';
import { failureOf, filledOf, hasEnded, type Order } from '../../domain/orders/order.ts';
import { transition } from '../../domain/orders/orderMachine.ts';
import type { MessageKind } from './message.ts';
import type { Line } from '../../store/codec.ts';

/** Message about a journal entry, without id and time. */
export type JournalText = Readonly<{ kind: MessageKind; title: string; text: string }>;

/** Kinds of entries that may lead to a message. */
export const WATCHED_KINDS = [
  'order',
  'syntheticEnded',
  'restricted',
  'restrictionLifted',
  'frozen',
  'released',
  'strategyStopped',
  'treasuryStopped',
  'flattened',
  'balanceAccepted',
  'denied',
  'operator',
  'epoch',
  'ended',
  'session',
] as const satisfies readonly JournalEvent['kind'][];
type WatchedKind = (typeof WATCHED_KINDS)[number];
const watched: ReadonlySet<string> = new Set(WATCHED_KINDS);

/** True for an entry that may lead to a message. */
export const isWatched = ({ kind }: JournalEvent): boolean => watched.has(kind);

/** Events of an order that may end it. */
const ENDING: ReadonlySet<string> = new Set(['refused', 'abandoned', 'reported', 'absent']);

/** Entries whose alarms an earlier process may not have raised before it was killed. */
const ALARMING: ReadonlySet<JournalEvent['kind']> = new Set<WatchedKind>([
  'frozen',
  'strategyStopped',
  'treasuryStopped',
  'denied',
]);

/**
 * Text of an entry; null for one that is not reported. The day's summary is made elsewhere.
 * @param isOld true for an earlier process's entry: its alarm is included here, because nothing else reports it
 * @param history entries of an order, oldest first
 */
export function journalText(
  line: Line,
  { isOld, history }: Readonly<{ isOld: boolean; history: (order: string) => readonly Line[] }>,
): JournalText | null {
  const { fact, seq } = line;
  if (fact.kind === 'order')
    return ENDING.has(fact.event.kind) ? orderText(seq, history(fact.id), isOld) : null;
  const text = (TEXTS[fact.kind] as ((fact: JournalEvent) => JournalText | null) | undefined)?.(fact) ?? null;
  if (text === null) return null;
  if (isOld && ALARMING.has(fact.kind)) return { ...text, kind: 'alarm', title: 'ALARM before the restart' };
  return fact.kind === 'denied' ? null : text;
}

/** Text about the end of an order, if the entry with this number ended it. */
function orderText(seq: number, history: readonly Line[], isOld: boolean): JournalText | null {
  let order: Order | null = null;
  for (const { seq: at, fact } of history) {
    if (at > seq) break;
    if (fact.kind === 'planned') order = fact.order;
    if (fact.kind !== 'order' || order === null) continue;
    const wasOpen = !hasEnded(order);
    const next = transition(order, fact.event);
    if (next.kind === 'moved') order = next.order;
    if (at === seq) return wasOpen && hasEnded(order) ? endText(order, isOld) : null;
  }
  return null;
}

function endText(order: Order, isOld: boolean): JournalText {
  const { state, terms, strategyId } = order;
  const what = describeTerms(terms);
  const fill = filledOf(order);
  if (state.kind === 'closed' && state.settlement && fill > 0n) {
    const { price, pay, receive } = state.settlement;
    const [verb, moved] =
      terms.side === 'buy'
        ? ['bought', `paid ${moneyText(pay)} mUSD`]
        : ['sold', `received ${moneyText(receive)} mUSD`];
    const rest = state.how === 'filled' ? '' : `, the rest ${state.how}`;
    const text = `${ownerName(strategyId)} ${verb} ${sharesText(fill)} ${terms.symbol} at ${priceText(price)}, ${moved}${rest}`;
    return { kind: 'fill', title: 'Fill', text };
  }
  const how = state.kind === 'closed' ? state.how : (failureOf(order) ?? 'never placed');
  const text = `${ownerName(strategyId)}: ${shortAmounts(what)}: ${how}`;
  return isOld && state.kind === 'reverted'
    ? { kind: 'alarm', title: 'ALARM before the restart', text }
    : { kind: 'orderEnd', title: 'Order ended', text };
}

const stateText = (title: string, text: string): JournalText => ({ kind: 'stateChange', title, text });

type Texts = {
  readonly [K in JournalEvent['kind']]?: (fact: Extract<JournalEvent, { kind: K }>) => JournalText | null;
};

/** Texts by entry kind. */
const TEXTS: Texts = {
  syntheticEnded: ({ id, how, why }) => ({
    kind: 'orderEnd',
    title: 'Held order ended',
    text: `order ${id}: ${how}, ${why}`,
  }),
  restricted: ({ scope, state, by, reason }) =>
    stateText(`Trading ${state}`, `${describeScope(scope)}: ${state} by ${by}: ${reason}`),
  restrictionLifted: ({ scope, cause, by, reason }) =>
    stateText(
      'Trading resumed',
      `${describeScope(scope)}: the restriction by ${cause} is lifted by ${by}: ${reason}`,
    ),
  frozen: ({ symbol, why }) => stateText('Symbol frozen', `${symbol}: no order is sent: ${why}`),
  released: ({ symbol, reason }) =>
    stateText('Symbol released', `${symbol}: orders are sent again: ${reason}`),
  strategyStopped: ({ strategyId, error }) =>
    stateText('Strategy stopped', `${strategyId} was stopped by its own error: ${error}`),
  treasuryStopped: ({ why }) => stateText('Treasury stopped', `no transfer is sent: ${why}`),
  flattened: ({ why }) => stateText('Flatten ended', why),
  balanceAccepted: ({ asset, reason }) =>
    stateText('Balance accepted', `the venue's balance of ${asset} was accepted: ${reason}`),
  denied: ({ method, path }) => stateText('Call denied', `${method} ${path} was not signed`),
  operator: ({ command, by }) => (command.kind === 'acknowledge' ? acknowledgedText(by, command) : null),
  epoch: ({ manual, epoch }) => (manual ? null : stateText('Run started', `start ${epoch} of this journal`)),
  ended: ({ how, why }) => stateText('Run ended', `${how}: ${why}`),
};

/** Null if there was nothing to acknowledge. */
function acknowledgedText(by: string, { alarms = [] }: CommandOf<'acknowledge'>): JournalText | null {
  if (alarms.length === 0) return null;
  const lines = alarms.map(({ id, text }) => `${id} ${text}`);
  return stateText(
    alarms.length === 1 ? 'Alarm acknowledged' : 'Alarms acknowledged',
    [`by ${by}:`, ...lines].join('\n'),
  );
}
