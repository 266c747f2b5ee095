import { createTradingCalendar, tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { type EpochMs, epochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { hashHex } from '../../core/random.ts';
import type { Address } from '../../domain/instrument.ts';
import { createMarket, type ListedSymbol, type Market } from '../market/index.ts';
import type {
  Account,
  ApiKey,
  Mapping,
  Operation,
  Order,
  State,
  Task,
  Transaction,
  Wallet,
} from './state.ts';

/** The state with everything derived from it: indexes, prices, sessions. It can be rebuilt from the state alone. */
export type VenueState = Readonly<{
  state: State;
  market: Market;
  calendar: TradingCalendar;
  keys: Map<string, ApiKey>;
  /** By address in lower case. */
  accounts: Map<string, Account>;
  /** By stock symbol, token symbol and address, in upper case. */
  listings: Map<string, ListedSymbol>;
  transactions: Map<string, Transaction>;
  /** Transactions by block time, oldest first; empty blocks are omitted. */
  blocks: Map<EpochMs, Transaction[]>;
  /** By address in lower case. */
  wallets: Map<string, Wallet>;
  /** Transactions not mined yet, by wallet and nonce. */
  waiting: Map<string, Transaction>;
  orders: Map<string, Order>;
  ordersByTx: Map<string, Order>;
  operations: Map<string, Operation>;
  mappings: Map<string, Mapping>;
  /** Links by key and type, as `key type`, in creation order. */
  mappingsByKey: Map<string, Mapping[]>;
  /** Limit orders that can still execute, in the order they were mined. */
  working: Set<Order>;
  nonces: Set<string>;
}>;

export function createVenueState(state: State): VenueState {
  const { market, calendar } = hoursOf(state);
  const venue: VenueState = {
    state,
    market,
    calendar,
    keys: new Map(state.keys.map((key) => [key.apiKey, key])),
    accounts: new Map(state.accounts.map((account) => [account.userAddress.toLowerCase(), account])),
    listings: new Map(market.listings.flatMap(namesOf)),
    transactions: new Map(state.transactions.map((transaction) => [transaction.hash, transaction])),
    blocks: new Map(),
    wallets: new Map(state.wallets.map((wallet) => [wallet.address.toLowerCase(), wallet])),
    waiting: new Map(
      state.transactions
        .filter(({ minedAt }) => minedAt === null)
        .map((transaction) => [waitingKey(transaction), transaction]),
    ),
    orders: new Map(),
    ordersByTx: new Map(),
    operations: new Map(state.operations.map((operation) => [operation.operationId, operation])),
    mappings: new Map(),
    mappingsByKey: new Map(),
    working: new Set(),
    nonces: new Set(state.nonces.map(({ id }) => id)),
  };
  for (const hash of state.mined) indexMined(venue, hash);
  for (const order of state.orders) indexOrder(venue, order);
  for (const mapping of state.mappings) indexMapping(venue, mapping);
  const working = state.orders.filter(isWorking).sort((a, b) => (a.minedAt ?? 0) - (b.minedAt ?? 0));
  for (const order of working) venue.working.add(order);
  return venue;
}

/** Market and calendar. A session overridden after its open ends only for the venue: past prices do not change. */
function hoursOf({ seed, stocks, sessions }: State): Pick<VenueState, 'market' | 'calendar'> {
  const listed = { seed, ...(stocks !== undefined && { stocks }) };
  if (sessions.length === 0) return { market: createMarket(listed), calendar: tradingCalendar };
  const known = sessions.filter(({ hasOpened }) => !hasOpened);
  const calendar = createTradingCalendar(known.map(({ exception }) => exception));
  return {
    market: createMarket({ ...listed, calendar }),
    calendar: createTradingCalendar(sessions.map(({ exception }) => exception)),
  };
}

/** Rebuilds the indexes after the state was changed directly. */
export const rebuild = (venue: VenueState): void => void Object.assign(venue, createVenueState(venue.state));

const namesOf = (listing: ListedSymbol): [string, ListedSymbol][] =>
  [listing.symbol, listing.contractSymbol, listing.address].map((name) => [name.toUpperCase(), listing]);

const isWorking = (order: Order): boolean =>
  order.type === 'limit' &&
  order.minedAt !== null &&
  order.closing === null &&
  order.fate?.kind !== 'cancel-race';

export const waitingKey = ({ from, nonce }: Pick<Transaction, 'from' | 'nonce'>): string =>
  `${from.toLowerCase()} ${nonce}`;

export function keepTransaction(
  { state, transactions, waiting }: VenueState,
  transaction: Transaction,
): void {
  state.transactions.push(transaction);
  transactions.set(transaction.hash, transaction);
  waiting.set(waitingKey(transaction), transaction);
}

/** Removes a transaction that is not in any block. */
export function dropTransaction(
  { state, transactions, waiting }: VenueState,
  transaction: Transaction,
): void {
  state.transactions.splice(state.transactions.lastIndexOf(transaction), 1);
  transactions.delete(transaction.hash);
  waiting.delete(waitingKey(transaction));
}

/** Adds a pending transaction to the block of `at`. */
export function keepMined(venue: VenueState, transaction: Transaction, at: EpochMs): void {
  transaction.minedAt = at;
  venue.waiting.delete(waitingKey(transaction));
  venue.state.mined.push(transaction.hash);
  indexMined(venue, transaction.hash);
}

function indexMined({ transactions, blocks }: VenueState, hash: string): void {
  const transaction = transactions.get(hash);
  if (!transaction || transaction.minedAt === null) throw new InvariantError(`no mined transaction ${hash}`);
  const block = blocks.get(transaction.minedAt);
  if (block) block.push(transaction);
  else blocks.set(transaction.minedAt, [transaction]);
}

/** Removes an order whose transaction was dropped. */
export function dropOrder(venue: VenueState, order: Order): void {
  venue.state.orders.splice(venue.state.orders.lastIndexOf(order), 1);
  venue.orders.delete(order.orderId);
  venue.ordersByTx.delete(order.txHash);
}

export function indexOrder(venue: VenueState, order: Order): void {
  venue.orders.set(order.orderId, order);
  venue.ordersByTx.set(order.txHash, order);
}

export const operationIdOf = (txHash: string) => hashHex(`operation ${txHash}`);

export function keepOperation(venue: VenueState, operation: Operation): void {
  venue.state.operations.push(operation);
  venue.operations.set(operation.operationId, operation);
}

function indexMapping(venue: VenueState, mapping: Mapping): void {
  venue.mappings.set(mapping.txHash, mapping);
  const group = groupOf(mapping);
  const ofKey = venue.mappingsByKey.get(group);
  if (ofKey) ofKey.push(mapping);
  else venue.mappingsByKey.set(group, [mapping]);
}

const groupOf = ({ apiKey, type }: Pick<Mapping, 'apiKey' | 'type'>): string => `${apiKey} ${type}`;

/** Links of a key for one kind of operation, oldest first. */
export const mappingsOf = (venue: VenueState, of: Pick<Mapping, 'apiKey' | 'type'>): readonly Mapping[] =>
  venue.mappingsByKey.get(groupOf(of)) ?? [];

/** Links a transaction to the key that sent or recorded it. */
export function link(venue: VenueState, mapping: Mapping): void {
  venue.state.mappings.push(mapping);
  indexMapping(venue, mapping);
}

/** The account of an address that was already validated. */
export const accountOf = (venue: VenueState, address: Address): Account =>
  known(venue.accounts.get(address.toLowerCase()), `account ${address}`);

export const orderOfId = ({ orders }: VenueState, orderId: string): Order =>
  known(orders.get(orderId), `order ${orderId}`);

/** Value that must exist in the state. @throws {InvariantError} if it does not */
export function known<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new InvariantError(`no ${what}`);
  return found;
}

/** The first block at or after `at`. Blocks are at whole seconds. */
export const blockAfter = ({ blocks: { everyMs } }: Pick<State, 'blocks'>, at: number): EpochMs =>
  epochMs(Math.ceil(at / everyMs) * everyMs);

/** Schedules a task after those of the same instant. */
export function schedule({ tasks }: State, task: Task): void {
  let index = tasks.length;
  while (index > 0 && (tasks[index - 1]?.due ?? 0) > task.due) index--;
  tasks.splice(index, 0, task);
}

/** Schedules a task before those of the same instant. */
export function scheduleFirst({ tasks }: State, task: Task): void {
  const index = tasks.findIndex(({ due }) => due >= task.due);
  tasks.splice(index < 0 ? tasks.length : index, 0, task);
}

/** The listing of a token address that was already validated. */
export const listingOf = (venue: VenueState, name: string): ListedSymbol =>
  known(venue.listings.get(name.toUpperCase()), `listing ${name}`);

export const priceOf = ({ market, state }: VenueState, symbol: ListedSymbol['symbol'], at: EpochMs) =>
  market.priceAt(symbol, at, state.shocks);

/** End of the visible part of the chain at `now`. It never goes back, even if the lag grows. */
export const indexedUntil = ({ indexer }: Pick<State, 'indexer'>, now: EpochMs): EpochMs =>
  epochMs(Math.max(indexer.seen, now - indexer.lagMs));

/** Sets the lag of the indexer from `now` on. Everything already visible stays visible. */
export function setLag(state: Pick<State, 'indexer'>, lagMs: number, now: EpochMs): void {
  state.indexer.seen = indexedUntil(state, now);
  state.indexer.lagMs = lagMs;
}

/** The last change that the indexer has seen, or null. */
export function visibleChange<C extends Readonly<{ at: EpochMs }>>(
  { changes }: Readonly<{ changes: readonly C[] }>,
  until: EpochMs,
): C | null {
  return changes.findLast(({ at }) => at <= until) ?? null;
}
