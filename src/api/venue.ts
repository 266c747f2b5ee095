import { tradingCalendar } from '../calendar/index.ts';
import { cash, parseDecimal, shares, parseSigned } from '../core/amount.ts';
import {
  DroverError,
  InvalidValueError,
  NoAnswerError,
  NotSentError,
  OutcomeUnknownError,
  RateLimitedError,
  UnauthorizedError,
  UnreachableError,
  VenueRefusedError,
  orAt,
} from '../core/errors.ts';
import { silentLog, type Log } from '../core/log.ts';
import { actionOf, type Announcement, type CorporateAction } from '../domain/corporateAction.ts';
import type { Bar } from '../domain/bar.ts';
import { BARS_MAX } from '../domain/fees.ts';
import { ticker, type Address, type Ticker } from '../domain/instrument.ts';
import type { TransferGate, TransferPort } from '../domain/transfers/transfer.ts';
import type {
  AccountReport,
  FundedTerms,
  OrderPage,
  SendGate,
  SendOutcome,
  StockHolding,
  Venue,
  VenueTerms,
} from '../domain/venue.ts';
import { DELEGATION_ENABLED } from './assumptions/venueRules.ts';
import type { Gate } from './requester.ts';
import type { VenueClient } from './client.ts';
import {
  quoting,
  sameCase,
  toBar,
  toListing,
  toOrderRow,
  toOwnReport,
  toTokenQuote,
  parseAll,
  type Quote,
  type Reading,
} from './convert.ts';
import { createOperationPort } from './operations.ts';
import { bodyOf, withDepositBody } from './bodies.ts';
import type { Refusal } from './failures.ts';
import { memoise } from './responseCache.ts';
import type { OrderView } from './views.ts';
import { isUnreadable, type Unreadable } from '../core/nesting.ts';

export type VenueOptions = Readonly<{
  userAddress: Address;
  /** The contract that takes tokens out of the wallet. If absent, allowances are not read. */
  spender?: Address | undefined;
  log?: Log;
}>;

/** Implements the engine's venue port with the HTTP client: converts decimals to wads, and words to states. */
export function createVenue(
  client: VenueClient,
  { userAddress, spender, log = silentLog }: VenueOptions,
): Venue & TransferPort {
  const [path, quote] = [{ userId: userAddress }, quoting(client.redact)];
  const toPage = pageReader({ quote, wallet: userAddress });
  const usable = readerOfRows(log, quote);
  return {
    listings: async () => usable(await client.symbols(), toListing),
    async bars({ symbol, interval, from, to, limit }) {
      const endTime = Math.ceil(to / 1000);
      const query = { endTime, interval, limit: Math.min(limit, BARS_MAX) };
      const range = from === undefined ? query : { ...query, startTime: Math.floor(from / 1000) };
      const rows = await client.history({ path: { symbol }, query: range });
      return usable(rows, (row) => dated(toBar(row, symbol, interval)))
        .filter(({ start }) => start < to && (from === undefined || start >= from))
        .sort((a, b) => a.start - b.start);
    },
    tokenQuote: (symbol) => tokenQuoteOf(client, symbol, quote),
    async account() {
      const query = spender === undefined ? {} : { spenderAddress: spender };
      const [balance, positions] = await Promise.all([
        client.balance({ path, query }),
        client.positions({ path }),
      ]);
      return {
        cash: parseAll('the balance', balance.mUsdBalance, { read: cashOf, quote }),
        ...parseAll('a position', positions, { read: (rows) => holdingsOf(rows, quote), quote }),
        ...tokensOf(balance.tokenBalances),
        ...(spender === undefined ? {} : allowancesOf(balance.tokenBalances, spender)),
      };
    },
    orders: async (query) => toPage(await client.orders({ query })),
    corporateActions: async ({ from, to }) =>
      usable(await client.corporateActions({ query: { start: from, end: to } }), datedAction),
    async orderByTx(txHash) {
      const view = await client
        .orderByTx({ path: { txHash } })
        .catch((error: unknown) => nullIfNotFound(error, client.assumptions.notFoundCode));
      const known = view && (view.mapping ?? view.openOrder ?? view.historyOrder);
      const read = (it: OrderView) => toOwnReport(it, userAddress, txHash);
      return known ? parseAll('an order', view, { read, quote }) : null;
    },
    delegation: async () => toDelegation(await client.oneClickStatus()),
    terms: async () => {
      const stated = await client.config();
      const { cashierBuffer, cashierTokenConfig } = stated;
      const cashTokens = usable(cashierTokenConfig ?? [], (row) => cashTokenOf(row, cashierBuffer));
      return { fees: feesIn(stated), cashTokens };
    },
    offsetMs: () => client.offsetMs,
    place: (terms, gate) => outcomeOf(sendOrder(client, terms, gated(gate)), terms.type),
    cancel: (orderId, gate) => outcomeOf(client.orderCancelSend({ path: { orderId } }, gated(gate))),
    ...createOperationPort(client, { outcomeOf, gated, quote, wallet: userAddress }),
  };
}

/** Parses rows; unreadable ones are logged and skipped. */
const readerOfRows =
  (log: Log, quote: Quote) =>
  <Row, T>(rows: readonly (Row | Unreadable)[], read: (row: Row) => T): T[] =>
    rows.flatMap((row) => {
      const value = isUnreadable(row) ? row : attempt(row, read);
      if (!isUnreadable(value)) return [value];
      log.warn({ row: quote(value.unreadable, value.raw) }, 'a row of the venue cannot be read');
      return [];
    });

const tokenQuoteOf = async (client: VenueClient, symbol: Ticker, quote: Quote) =>
  parseAll('a price', await client.prices({ path: { symbol } }), {
    read: (answer) => toTokenQuote(symbol, answer),
    quote,
  });

const sendOrder = (client: VenueClient, terms: FundedTerms, gate: SendGate) =>
  terms.funding?.kind === 'deposit'
    ? client.orderWithDepositSend({ body: withDepositBody(terms, terms.funding) }, gate)
    : client.orderSend({ body: bodyOf(terms) }, gate);

type ConfigAnswer = Awaited<ReturnType<VenueClient['config']>>;
type CashierBuffer = ConfigAnswer['cashierBuffer'];
type CashTokenRow = Exclude<NonNullable<ConfigAnswer['cashierTokenConfig']>[number], Unreadable>;

const FEE_NAMES = ['buyMintFeeBps', 'buyProtocolFeeBps', 'sellProtocolFeeBps'] as const;

const feesIn = ({ exchangeFeeConfig: stated }: ConfigAnswer): VenueTerms['fees'] =>
  stated
    ? Object.fromEntries(
        FEE_NAMES.flatMap((name) => (stated[name] == null ? [] : [[name, stated[name]] as const])),
      )
    : null;

const toDelegation = ({ status, delegatee }: Awaited<ReturnType<VenueClient['oneClickStatus']>>) => ({
  enabled: status === DELEGATION_ENABLED,
  status,
  ...(delegatee == null ? {} : { delegatee }),
});

function cashTokenOf(row: CashTokenRow, buffer: CashierBuffer): VenueTerms['cashTokens'][number] {
  const { symbol, tokenAddress: address, decimals = null, withdrawalBuffer, withdrawalBufferCapacity } = row;
  const wad = (text: string | null | undefined) => (text == null ? null : parseSigned(text));
  const [room, capacity, credit] = [withdrawalBuffer, withdrawalBufferCapacity, buffer?.creditBuffer].map(
    wad,
  );
  const divisor = buffer?.instantThresholdDivisor ?? 0;
  const isStated = room != null && capacity != null && credit != null;
  const isDivisor = Number.isInteger(divisor) && divisor > 0;
  const bounds = isStated && isDivisor ? [credit / BigInt(divisor), capacity - room] : [];
  return {
    symbol: symbol ?? address,
    address,
    decimals,
    deposit: {
      isPaused: row.depositPaused ?? false,
      least: parseDecimal(row.minAmount ?? '0'),
      feeBps: Math.ceil(row.depositFeeBps ?? 0),
      mostAtOnce: bounds.reduce<bigint | null>(
        (most, each) => (most === null || each < most ? each : most),
        null,
      ),
    },
    withdrawal: {
      isPaused: row.withdrawPaused ?? false,
      feeBps: Math.ceil(row.withdrawFeeBps ?? 0),
      mostAtOnce: room ?? null,
    },
  };
}

/** @throws {InvalidValueError} for a time outside the calendar */
function dated(bar: Bar): Bar {
  tradingCalendar.sessionAt(bar.start);
  return bar;
}

/** @throws {InvalidValueError} for an invalid day, or one outside the calendar */
function datedAction(row: Announcement): CorporateAction {
  const action = actionOf(row);
  for (const day of [action.exDate, action.kind === 'payment' ? action.payableDate : null])
    if (day !== null) tradingCalendar.sessionFrom(day);
  return action;
}

const attempt = <Row, T>(row: Row, read: (row: Row) => T): T | Unreadable =>
  orAt(
    InvalidValueError,
    () => read(row),
    ({ message }) => ({ unreadable: message, raw: row }),
  );

/** Parses pages of the order list; an unchanged page is not parsed again. */
const pageReader = (reading: Reading) =>
  memoise(({ total, rows }: Awaited<ReturnType<VenueClient['orders']>>): OrderPage => ({
    total,
    rows: rows.map((row) => toOrderRow(row, reading)),
  }));

type Positions = Awaited<ReturnType<VenueClient['positions']>>;
type Balances = Awaited<ReturnType<VenueClient['balance']>>['tokenBalances'];

const cashOf = (text: string) => cash(parseSigned(text));

/** Parses all holdings or none: an unreadable one would look like no holding. */
function holdingsOf(positions: Positions, quote: Quote): Pick<AccountReport, 'holdings' | 'apart'> {
  const wads = (text: string) => shares(parseSigned(text));
  const holdings = new Map<Ticker, StockHolding>();
  const apart: (readonly [Ticker, StockHolding])[] = [];
  for (const row of positions) {
    if (isUnreadable(row))
      throw new NoAnswerError(`a position cannot be read: ${quote(row.unreadable, row.raw)}`);
    if (!row.isStock) continue;
    const symbol = ticker(row.stockSymbol ?? row.symbol);
    const [exchange, wallet] = [wads(row.exchangeBalance), wads(row.walletBalance)];
    const holding = { exchange, wallet, contract: row.address };
    if (holdings.has(symbol)) apart.push([symbol, holding]);
    else holdings.set(symbol, holding);
  }
  return apart.length === 0 ? { holdings } : { holdings, apart };
}

/** Parses all cash tokens of the wallet, or omits them. */
function tokensOf(rows: Balances): Pick<AccountReport, 'tokens'> {
  const tokens = new Map<Address, bigint>();
  for (const row of rows) {
    if (isUnreadable(row)) return {};
    if (row.isStock) continue;
    const amount = attempt(row, ({ walletBalance }) => parseSigned(walletBalance));
    if (isUnreadable(amount)) return {};
    tokens.set(row.address.toLowerCase() as Address, amount);
  }
  return { tokens };
}

/** Allowances of the spender. An unlisted token has none. */
function allowancesOf(rows: Balances, spender: Address): Pick<AccountReport, 'allowances'> {
  const of = new Map<Address, bigint>();
  for (const row of rows) {
    if (isUnreadable(row)) continue;
    const amount = attempt(row, (it) => parseSigned(it.walletAllowance ?? '0'));
    if (isUnreadable(amount)) continue;
    of.set(row.address.toLowerCase() as Address, amount);
  }
  return { allowances: { spender, of } };
}

/** Maps "not found" to null: the link appears once the indexer sees the transaction. Any other refusal is rethrown. */
function nullIfNotFound(error: unknown, notFoundCode: number): null {
  if (error instanceof VenueRefusedError) {
    const { code, errMsg } = error.details;
    if (code === notFoundCode || /not found|does not exist/i.test(String(errMsg))) return null;
  }
  throw error;
}

/** Adds the handling of late responses to a gate that wants them; an unreadable one counts as no response. */
function gated<G extends SendGate | TransferGate>(gate: G): G & Pick<Gate, 'answeredLate'> {
  if (!gate.late) return gate;
  const answeredLate = (data: Promise<unknown>) =>
    void outcomeOf(data as Promise<{ txHash: string }>).then(
      (outcome) => gate.late?.(outcome),
      () => undefined,
    );
  return { ...gate, answeredLate };
}

/** Session that the venue names. */
function sessionIn({ details }: VenueRefusedError): Readonly<{ session?: string }> {
  const { kind, session = 'unnamed' } = (details['refusal'] ?? {}) as Partial<Refusal>;
  return kind === 'session' ? { session } : {};
}

/**
 * Maps the end of a send to its outcome. Errors caused by neither venue nor network are rethrown. The refusal that names a session
 * is documented only for market orders: for a limit order it proves nothing.
 */
async function outcomeOf(
  send: Promise<{ txHash: string }>,
  type?: FundedTerms['type'],
): Promise<SendOutcome> {
  try {
    return { kind: 'accepted', txHash: sameCase((await send).txHash) };
  } catch (error) {
    if (!(error instanceof DroverError)) throw error;
    const { message: reason } = error;
    if (error instanceof NotSentError) return { kind: 'stopped', reason, error };
    if (error instanceof UnauthorizedError) return { kind: 'refused', reason, error, unproven: true };
    if (error instanceof VenueRefusedError) {
      const named = sessionIn(error);
      if (named.session !== undefined && type === 'limit') return { kind: 'unknown', reason, error };
      return { kind: 'refused', reason, error, ...named };
    }
    if (error instanceof UnreachableError) return { kind: 'refused', reason, error, unsent: true };
    if (error instanceof OutcomeUnknownError || error instanceof RateLimitedError)
      return { kind: 'unknown', reason, error };
    throw error;
  }
}
