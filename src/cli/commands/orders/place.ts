import {
  cash,
  formatDecimal,
  notionalOf,
  price,
  shares,
  WAD,
  type Cash,
  type Price,
  type Shares,
} from '../../../core/amount.ts';
import { SafetyError, ConfigError, NotSentError } from '../../../core/errors.ts';
import { breachOf } from '../../../domain/limitBreach.ts';
import { type FeeSchedule, buyCost, sellProceeds, bpsBySide } from '../../../domain/fees.ts';
import type { FundedTerms, OrderTerms, Side } from '../../../domain/venue.ts';
import { type Account, withMovingAccount } from '../../transfers/account.ts';
import {
  type StatedToken,
  type Stock,
  feesOf,
  holdingOf,
  isInstantDeposit,
  requireEnough,
  requireSpendable,
  walletOf,
} from '../../transfers/market.ts';
import { moneyText, priceText, sharesText } from '../../../domain/amountText.ts';
import { describeTerms } from '../../../domain/describe.ts';
import { hasBooks, withDaemon, withOwnRun } from '../../transfers/besideDaemon.ts';
import { placeBeside } from './beside.ts';
import { calendarOf } from '../../config/fields.ts';
import { configOf, stateOverride } from '../../config/load.ts';
import type { CommandContext } from '../../context.ts';
import { amountOf } from '../../transfers/confirm.ts';
import { findOrder, printOrder, placedObservation, unseenOrder } from '../../transfers/orderRow.ts';
import { pinnedCashToken, stockOf } from '../../transfers/pinned.ts';
import { goesOn, perform, type MoveFlags } from '../../transfers/perform.ts';
import { tickOf } from '../../../domain/instrument.ts';

/**
 * Checks the limits of the config that one order can break by itself; the others need a run.
 * @throws {SafetyError}
 */
function requireWithinLimits(
  { terms, stock }: Readonly<{ terms: OrderTerms; stock: Stock }>,
  { clock, loaded }: Account,
): void {
  const { orderNotional, priceBandBps, quoteAgeMs } = loaded.config.limits;
  // A market sell has no price of its own: the venue's counts.
  const byPrice = terms.type === 'market' && terms.side === 'sell';
  if (byPrice && orderNotional !== undefined && stock.price <= 0n)
    throw new SafetyError(
      `the venue shows no price for ${stock.symbol}, so the sell cannot be checked against the limit of ` +
        `${formatDecimal(orderNotional)} (orderNotional). Nothing was sent`,
      { limit: 'orderNotional' },
    );
  const at = terms.type === 'limit' ? terms.price : stock.price;
  const notional = 'notional' in terms ? terms.notional : notionalOf(terms.quantity, at, 'up');
  const breach = breachOf(
    { terms, notional },
    { orderNotional, priceBandBps, ...(byPrice && { quoteAgeMs }) },
    {
      now: clock.now(),
      quote: { symbol: stock.symbol, price: stock.price, at: stock.pricedAt },
      position: cash(0n),
      gross: cash(0n),
      ordersLastMinute: 0,
      dayProfit: cash(0n),
    },
  );
  if (breach) throw new SafetyError(`${breach.message}. Nothing was sent`, { limit: breach.limit });
}

/** @throws {SafetyError} where the fees that the venue states for a side are above `limits.feeBps` */
function requireFeesWithinLimit(side: Side, fees: FeeSchedule, { loaded }: Account): void {
  const { feeBps } = loaded.config.limits;
  const bps = bpsBySide(fees)[side];
  if (bps <= feeBps) return;
  throw new SafetyError(
    `the venue states fees of ${bps} bps for a ${side}, over the limit of ${feeBps} (limits.feeBps). Nothing was sent. To pay ` +
      'them, raise limits.feeBps',
    { limit: 'feeBps' },
  );
}

export type PlaceFlags = MoveFlags &
  Readonly<{
    symbol: string;
    side: string;
    market?: boolean;
    limit?: string;
    quantity?: string;
    notional?: string;
    deferred?: boolean;
    withDeposit?: string;
    token?: string;
    strategy?: string;
  }>;

type DetailLine = readonly [name: string, value: string];

/** `drover orders place SYMBOL buy|sell …`: one order by hand, through the running daemon where there is one. */
export const ordersPlace = (flags: PlaceFlags, context: CommandContext): Promise<number> => {
  const wish = parseTerms(flags);
  return withDaemon(flags, context, (daemon) =>
    daemon ? placeBeside(flags, { daemon, context }) : placeWithout(flags, wish, context),
  );
};

/** Without a daemon, by a run of the command's own; without the books of a run, or with a deposit or deferred, past them. */
function placeWithout(flags: PlaceFlags, wish: ParsedTerms, context: CommandContext): Promise<number> {
  const loaded = configOf(context, stateOverride(flags));
  const isFunded = flags.deferred === true || flags.withDeposit !== undefined;
  if (isFunded || !hasBooks(loaded)) return placeAlone(flags, wish, context);
  return withOwnRun({ kind: 'order', flags }, context, (carrier) => placeBeside(flags, carrier));
}

function placeAlone(flags: PlaceFlags, wish: ParsedTerms, context: CommandContext): Promise<number> {
  if (flags.strategy !== undefined)
    throw new ConfigError(
      'only the journal of a run knows what a strategy has, and none can follow this order: leave --strategy out. Nothing was sent',
    );
  const kind = flags.withDeposit === undefined ? 'order' : 'orderWithDeposit';
  return withMovingAccount({ kind, flags }, context, async (account) => {
    const stock = await stockOf(account, flags.symbol);
    const terms = termsOf(wish, stock);
    requireTradable(stock, terms, account);
    const { funding, token, facts } = await fundedOrder({ flags, terms, stock }, account);
    requireWithinLimits({ terms, stock }, account);
    const deferred = flags.deferred ? 'deferred ' : '';
    return perform(
      {
        move: { kind: 'order', terms: funding ? { ...terms, funding } : terms },
        token,
        plan: { what: `Place: ${deferred}${describeTerms(terms)}`, facts },
        look: (txHash, sentAt) => async () => {
          const view = await findOrder(account.client, txHash);
          const wanted = funding?.kind === 'deferred' ? { ...terms, funding } : terms;
          return view && placedObservation(view, { txHash, terms: wanted, sentAt });
        },
        unseen: unseenOrder,
        print: (row) => printOrder(row, context),
        again: {
          look: (txHash) => goesOn(`drover orders show ${txHash}`),
          list: 'drover orders list',
        },
      },
      flags,
      account,
    );
  });
}

type ParsedTerms = Readonly<{
  side: Side;
  limit: Price | null;
  quantity: Shares | null;
  notional: Cash | null;
}>;

/** @throws {ConfigError} for contradictory terms */
function parseTerms({
  side,
  market,
  limit,
  quantity,
  notional,
  deferred,
  withDeposit,
}: PlaceFlags): ParsedTerms {
  if (side !== 'buy' && side !== 'sell') throw new ConfigError(`${side} is no side: use buy or sell`);
  if (market === (limit !== undefined)) throw new ConfigError('pass --market or --limit PRICE, and not both');
  if (!market && limit === undefined) throw new ConfigError('pass --market or --limit PRICE');
  const byNotional = side === 'buy' && limit === undefined;
  const [needed, other] = byNotional ? ['--notional', '--quantity'] : ['--quantity', '--notional'];
  const kind = limit === undefined ? `a market ${side}` : 'a limit order';
  if ((byNotional ? notional : quantity) === undefined) throw new ConfigError(`${kind} needs ${needed}`);
  if ((byNotional ? quantity : notional) !== undefined) throw new ConfigError(`${kind} takes no ${other}`);
  if (deferred && side !== 'sell') throw new ConfigError('only a sell can be --deferred');
  if (deferred && withDeposit !== undefined)
    throw new ConfigError('a --deferred sell delivers later, so it takes no --with-deposit');
  return {
    side,
    limit: limit === undefined ? null : price(amountOf(limit, { what: '--limit' })),
    quantity: quantity === undefined ? null : shares(amountOf(quantity, { what: '--quantity' })),
    notional: notional === undefined ? null : cash(amountOf(notional, { what: '--notional' })),
  };
}

function termsOf(
  { side, limit, quantity, notional }: ParsedTerms,
  { symbol, address: stock }: Stock,
): OrderTerms {
  const common = { symbol, stock };
  if (notional !== null) return { ...common, type: 'market', side: 'buy', notional };
  const size = quantity ?? shares(0n);
  return limit === null
    ? { ...common, type: 'market', side: 'sell', quantity: size }
    : { ...common, type: 'limit', side, quantity: size, price: limit };
}

/** Refuses orders that the venue would refuse. @throws {NotSentError} */
function requireTradable(stock: Stock, terms: OrderTerms, { clock, loaded }: Account): void {
  const { symbol, tradable, fractionable } = stock;
  const refuse = (why: string) => new NotSentError(`${why}. Nothing was sent`);
  if (!tradable) throw refuse(`${symbol} is not tradable at this venue`);
  if (!fractionable && 'notional' in terms)
    throw refuse(`${symbol} is not fractionable: buy whole shares by --limit and --quantity`);
  if (!fractionable && 'quantity' in terms && terms.quantity % WAD !== 0n)
    throw refuse(`${symbol} is not fractionable: --quantity must be whole`);
  if (terms.type === 'limit' && terms.price % tickOf(terms.price) !== 0n)
    throw refuse(`--limit must be a multiple of ${formatDecimal(tickOf(terms.price))}`);
  const { phase } = calendarOf(loaded.config).phaseAt(clock.now());
  if (terms.type === 'market' && phase !== 'regular')
    throw refuse(
      `market orders need the regular session, and now it is ${phase}. Limit orders (--limit) are accepted at any time`,
    );
}

type OrderRequest = Readonly<{ flags: PlaceFlags; terms: OrderTerms; stock: Stock }>;
type FundedOrder = Readonly<{
  funding?: FundedTerms['funding'];
  /** Cash token that it deposits. */
  token?: StatedToken;
  facts: readonly DetailLine[];
}>;

/** Funding of an order, and the facts of its plan. @throws {NotSentError} when the account has too little */
async function fundedOrder(ordered: OrderRequest, account: Account): Promise<FundedOrder> {
  return ordered.terms.side === 'buy' ? fundedBuy(ordered, account) : fundedSell(ordered, account);
}

/** Amount that a buy spends before fees. */
function worthOf(terms: OrderTerms): Cash {
  if (terms.type === 'limit') return notionalOf(terms.quantity, terms.price, 'up');
  return 'notional' in terms ? terms.notional : cash(0n);
}

async function fundedBuy({ flags, terms, stock }: OrderRequest, account: Account): Promise<FundedOrder> {
  const venue = await account.client.config();
  const notional = worthOf(terms);
  const fees = feesOf(venue);
  requireFeesWithinLimit('buy', fees, account);
  const cost = buyCost(notional, fees);
  const balance = await walletOf(account);
  const { mUsd } = balance;
  const facts: DetailLine[] = [
    ['pays', `${moneyText(cost.total, 'up')} mUSD at most`],
    ['fees', `${moneyText(cost.total - notional, 'up')} mUSD of it`],
    ['price now', `${priceText(stock.price)} mUSD`],
  ];
  if (flags.withDeposit === undefined) {
    requireEnough(mUsd, {
      needed: cost.total,
      of: 'mUSD',
      text: moneyText,
      remedy: '`drover cash deposit` brings more',
    });
    return { facts };
  }
  const { token, terms: rules } = pinnedCashToken(venue, account, flags.token);
  const amount = amountOf(flags.withDeposit, { what: '--with-deposit', places: token.decimals });
  const approved = requireSpendable(balance, { token, amount, text: moneyText });
  requireEnough(mUsd + amount, { needed: cost.total, of: 'mUSD with the deposit', text: moneyText });
  if (rules.depositPaused || isInstantDeposit(venue, rules, amount) === false)
    throw new NotSentError(
      'the cashier would queue that deposit, so the order would revert. Nothing was sent',
    );
  return {
    funding: { kind: 'deposit', token: token.address, amount },
    token,
    facts: [['deposits', `${formatDecimal(amount)} ${token.symbol} first`], ...facts, approved],
  };
}

async function fundedSell({ flags, terms, stock }: OrderRequest, account: Account): Promise<FundedOrder> {
  const quantity = 'quantity' in terms ? terms.quantity : shares(0n);
  const venue = await account.client.config();
  const at = terms.type === 'limit' ? terms.price : stock.price;
  const fees = feesOf(venue);
  requireFeesWithinLimit('sell', fees, account);
  const proceeds = sellProceeds(notionalOf(quantity, at, 'down'), fees);
  const facts: DetailLine[] = [
    ['brings', `about ${moneyText(proceeds.net, 'down')} mUSD after fees`],
    ['price now', `${priceText(stock.price)} mUSD`],
  ];
  if (flags.deferred) {
    const note = 'shares are owed until repaid; only the venue knows whether this address may sell so';
    return { funding: { kind: 'deferred' }, facts: [...facts, ['deferred', note]] };
  }
  const balance = await walletOf(account);
  const held = holdingOf(balance.tokens, stock.address);
  if (flags.withDeposit === undefined) {
    const remedy = `\`drover stock deposit ${stock.symbol} AMOUNT\` brings shares from the wallet`;
    requireEnough(held.exchange, {
      needed: quantity,
      of: `${stock.symbol} on the exchange`,
      text: sharesText,
      remedy,
    });
    return { facts };
  }
  const amount = amountOf(flags.withDeposit, { what: '--with-deposit' });
  const approved = requireSpendable(balance, { token: stock, amount, text: sharesText });
  requireEnough(held.exchange + amount, {
    needed: quantity,
    of: `${stock.symbol} with the deposit`,
    text: sharesText,
  });
  return {
    funding: { kind: 'deposit', token: null, amount },
    facts: [['deposits', `${formatDecimal(amount)} ${stock.symbol} first`], ...facts, approved],
  };
}
