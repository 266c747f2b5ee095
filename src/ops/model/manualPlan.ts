import { z } from 'zod';
import { bpsOf, cash, notionalOf, shares, type Cash, type Price } from '../../core/amount.ts';
import { ConfigError } from '../../core/errors.ts';
import { moneyText, priceText, sharesText } from '../../domain/amountText.ts';
import { UNALLOCATED, WALLET } from '../../domain/account/ledger.ts';
import { newYorkClock } from '../../calendar/index.ts';
import { describeIntent, describeTerms, describeTransfer } from '../../domain/describe.ts';
import { uncommittedShares } from '../../domain/account/deferredSells.ts';
import { sellProceeds } from '../../domain/fees.ts';
import { sameAddress, ticker, type Address } from '../../domain/instrument.ts';
import type { CommandOf } from '../../domain/operator/command.ts';
import type { Side } from '../../domain/venue.ts';
import { assetTaken, isWithdrawal, type MoveTerms } from '../../domain/transfers/transfer.ts';
import { suggest } from '../../core/suggest.ts';
import type { EngineContext } from '../../engine/state/engineContext.ts';
import { endedSince } from '../../engine/state/exposure.ts';
import { stateText } from './orders.ts';
import { cashTokenName, pinnedCashTokens } from '../../domain/account/pinBook.ts';

/** A plan: one line, named facts, the reason to refuse it now, and the body with which to give the command. */
export const planSchema = z.object({
  what: z.string(),
  facts: z.array(z.tuple([z.string(), z.string()])),
  refusal: z.string().nullable().describe('why the run would refuse it now; null when it would not'),
  refused: z
    .enum(['usage', 'safety'])
    .nullable()
    .describe('`usage` when it names something that is not there; null when it would not be refused'),
  body: z.record(z.string(), z.unknown()).describe('fields of the command, without id and reason'),
});

/** Plan of a manual order or transfer, for the person who confirms it: one line, and named facts. */
export type ManualPlan = Pick<z.output<typeof planSchema>, 'what' | 'facts'>;

type Facts = [string, string][];

/** Plan of a command, from the prices, fees and balances known to the run. */
export const manualPlanOf = (
  context: EngineContext,
  command: CommandOf<'order'> | CommandOf<'transfer'>,
): ManualPlan =>
  command.kind === 'order'
    ? { what: `Place: ${describeIntent({ ...command, reason: '' })}`, facts: orderFacts(context, command) }
    : {
        what: sentence(describeTransfer(command, cashNameOf(context, command.terms) ?? undefined)),
        facts: transferFacts(context, command.terms),
      };

/** Name of the cash that a transfer moves: a deposit its token, a withdrawal mUSD; null for stock, or an unnamed token. */
function cashNameOf({ accountState }: EngineContext, terms: MoveTerms): string | null {
  if ('symbol' in terms) return null;
  return terms.kind === 'cashWithdrawal' ? 'mUSD' : cashTokenName(accountState.pins, terms.token);
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function orderFacts(context: EngineContext, command: CommandOf<'order'>): Facts {
  const { symbol, terms } = command;
  const price = context.market.price(symbol);
  const now: Facts = [['price now', price === null ? 'unknown' : `${priceText(price)} mUSD`]];
  const isSell =
    terms.kind === 'sell' ||
    terms.kind === 'sellDeferred' ||
    (terms.kind === 'limit' && terms.side === 'sell');
  const contract = context.market.instruments.get(symbol)?.address;
  const traded: Facts = contract === undefined ? [] : [['contract', contract]];
  return [
    ...traded,
    ...(isSell ? sellFacts(context, command, price) : buyFacts(context, command, price)),
    ...now,
    ...earlierFacts(context, { ...command, side: isSell ? 'sell' : 'buy' }),
  ];
}

/** Time in ms after its end for which an order is mentioned: a person repeats an interrupted command soon after it. */
const EARLIER_MS = 15 * 60_000;

/** Orders of the same owner, stock and side that are open or recent: an interrupted command may have left one. */
const earlierFacts = (
  { accountState, now }: EngineContext,
  { symbol, side, strategyId = UNALLOCATED }: CommandOf<'order'> & Readonly<{ side: Side }>,
): Facts =>
  [...accountState.live.values(), ...endedSince(accountState, now - EARLIER_MS)]
    .filter(
      ({ terms, strategyId: owner }) =>
        terms.symbol === symbol && terms.side === side && owner === strategyId,
    )
    .map((order) => [
      'already',
      `${describeTerms(order.terms)} (${order.id}, ${newYorkClock(order.plannedAt)}): ${stateText(order)}`,
    ]);

function buyFacts(
  { accountState, costOf }: EngineContext,
  command: CommandOf<'order'>,
  price: Price | null,
): Facts {
  const { strategyId = UNALLOCATED } = command;
  const notional = worthOf(command, price);
  const total = costOf(notional);
  const free = accountState.ledger.balance(strategyId, 'free', 'mUSD');
  return [
    ['from', `${ownerText(strategyId)}: ${moneyText(free, 'down')} mUSD free`],
    ['pays', `${moneyText(total, 'up')} mUSD at most`],
    ['fees', `${moneyText(total - notional, 'up')} mUSD of it`],
  ];
}

function sellFacts(
  { accountState, rules }: EngineContext,
  command: CommandOf<'order'>,
  price: Price | null,
): Facts {
  const { symbol, strategyId = UNALLOCATED, terms } = command;
  if (terms.kind === 'sellDeferred') {
    const left = uncommittedShares(accountState, symbol);
    const from = `the wallet: ${left === null ? 'unknown' : sharesText(left)} ${symbol} that are not owed`;
    const { net } = sellProceeds(worthOf(command, price), rules.fees);
    return [
      ['from', from],
      ['brings', `about ${moneyText(net, 'down')} mUSD after fees`],
      ['deferred', 'the shares are owed until repaid; only the venue knows whether this address may sell so'],
    ];
  }
  const free = accountState.ledger.balance(strategyId, 'free', symbol);
  const isAll = terms.kind === 'sell' && terms.quantity === 'all';
  const worth = isAll && price !== null ? notionalOf(shares(free), price, 'down') : worthOf(command, price);
  return [
    ['from', `${ownerText(strategyId)}: ${sharesText(free)} ${symbol} free`],
    ['brings', `about ${moneyText(sellProceeds(worth, rules.fees).net, 'down')} mUSD after fees`],
  ];
}

const ownerText = (strategyId: string): string =>
  strategyId === UNALLOCATED ? 'unallocated' : `strategy ${strategyId}`;

/** Notional of an order before fees; 0 if the price is unknown. */
function worthOf({ terms }: CommandOf<'order'>, price: Price | null): Cash {
  if (terms.kind === 'buy') return terms.notional;
  const at = terms.kind === 'limit' ? terms.price : price;
  const quantity = 'quantity' in terms && terms.quantity !== 'all' ? terms.quantity : null;
  return at === null || quantity === null ? cash(0n) : notionalOf(quantity, at, 'up');
}

function transferFacts(context: EngineContext, terms: MoveTerms): Facts {
  const { accountState } = context;
  const { ledger } = accountState;
  const [text, unit] = 'symbol' in terms ? [sharesText, terms.symbol] : [moneyText, 'mUSD'];
  const asset = assetTaken(terms);
  const moved = ['contract', terms.token] as [string, string];
  if (isWithdrawal(terms)) {
    const free = ledger.balance(UNALLOCATED, 'free', asset);
    const token = 'symbol' in terms ? null : cashTokenName(accountState.pins, terms.token);
    return [
      moved,
      ['from', `the venue: ${text(free, 'down')} ${unit} unallocated`],
      ['to', `the wallet${token === null ? '' : `, in ${token}`}`],
      ...cashierFacts(context, terms),
    ];
  }
  const held = `the wallet, which has ${text(ledger.at(WALLET, asset), 'down')}`;
  const goal =
    terms.kind === 'repay'
      ? 'the debt'
      : `${'symbol' in terms ? 'the exchange' : 'mUSD at the venue'}, unallocated`;
  return [moved, ['from', held], ['to', goal], ...cashierFacts(context, terms)];
}

/** Fee of a cash deposit or withdrawal, the amount after it, and the expected time, as stated by the venue. */
function cashierFacts({ reads }: EngineContext, { kind, token, amount }: MoveTerms): Facts {
  const { symbol = '', deposit, withdrawal } = reads.cashTokens.get(token.toLowerCase()) ?? {};
  const isDeposit = kind === 'cashDeposit';
  const stated = isDeposit ? deposit : kind === 'cashWithdrawal' ? withdrawal : undefined;
  if (!stated) return [];
  const fee = bpsOf(cash(amount), stated.feeBps, 'up');
  const net = amount - fee;
  const { mostAtOnce } = stated;
  const soon =
    mostAtOnce === null
      ? 'the venue does not say'
      : net <= mostAtOnce
        ? 'at once'
        : 'queued: it may take a while';
  return [
    [isDeposit ? 'credit' : 'pays out', `${moneyText(net, 'down')} ${isDeposit ? 'mUSD' : symbol}`],
    ['fee', `${moneyText(fee, 'up')} mUSD`],
    [isDeposit ? 'credited' : 'paid', soon],
  ];
}

/** Terms of a transfer as given by a person. `asset`: the stock's symbol; `cashToken`: its symbol or address. */
export type NamedTransfer = Readonly<{
  kind: MoveTerms['kind'];
  amount: string;
  symbol?: string | undefined;
  cashToken?: string | undefined;
}>;

/**
 * Contract of the token that a transfer moves.
 * @throws {ConfigError} for a stock that is not listed, or a cash token that is not pinned
 */
export function tokenOf(context: EngineContext, { symbol, cashToken }: NamedTransfer): Address {
  return symbol === undefined ? cashTokenOf(context, cashToken) : stockOf(context, symbol);
}

function stockOf({ market }: EngineContext, symbol: string): Address {
  const instrument = market.instruments.get(ticker(symbol));
  if (instrument) return instrument.address;
  const suggestion = suggest(symbol, [...market.instruments.keys()]);
  throw new ConfigError(
    `${symbol} is not listed at this venue${suggestion === undefined ? '' : `. Did you mean ${suggestion}?`}`,
  );
}

function cashTokenOf({ accountState }: EngineContext, wanted: string | undefined): Address {
  const tokens = [...pinnedCashTokens(accountState.pins)];
  const isNamed = ([name, { address = '' }]: (typeof tokens)[number]): boolean =>
    wanted === undefined || name.toLowerCase() === wanted.toLowerCase() || sameAddress(address, wanted);
  const [found, ...others] = tokens.filter(isNamed);
  if (found && others.length === 0) return (found[1]['address'] ?? '') as Address;
  if (tokens.length === 0)
    throw new ConfigError(
      'this run knows no cash token: the venue lists none, or the account is simulated, as in a dry run',
    );
  const names = tokens.map(([name]) => name).join(', ');
  const what =
    wanted === undefined ? 'the venue has several cash tokens' : `${wanted} is not a cash token here`;
  throw new ConfigError(`${what}. Name one with --token: ${names}`);
}
