import { z } from 'zod';
import { formatDecimal } from '../../core/amount.ts';
import { epochMs, toSeconds, type EpochMs } from '../../core/brand.ts';
import type { Interval } from '../../domain/bar.ts';
import { INSTANT_DIVISOR } from '../trading/cashier.ts';
import {
  BAR_INTERVALS,
  cashToken,
  CHAIN_ID,
  PRODUCT,
  TOKEN_DECIMALS,
  type TokenTraits,
} from '../state/constants.ts';
import { adjusted, type Adjustment } from '../market/shocks.ts';
import type { ListedSymbol } from '../market/index.ts';
import { invalid, notFound } from '../state/messages.ts';
import type { VenueState } from '../state/venueState.ts';
import { integer } from './fields.ts';
import type { Context, Handler, Routes } from './route.ts';

/** Fees and buffers, in mUSD and in whole cash tokens. */
const config: Handler = ({ venue: { state } }) => {
  const { cashier, constants } = state;
  return JSON.stringify({
    cashierBuffer: {
      creditBuffer: formatDecimal(cashier.creditBuffer),
      creditBufferCapacity: formatDecimal(cashier.creditBufferCapacity),
      instantThresholdDivisor: Number(INSTANT_DIVISOR),
    },
    exchangeFeeConfig: { chainId: CHAIN_ID, productType: PRODUCT, ...constants.statedFees },
    cashierTokenConfig: [
      {
        tokenAddress: cashToken.address,
        symbol: cashToken.symbol,
        decimals: cashToken.decimals,
        minAmount: formatDecimal(constants.minDeposit),
        depositPaused: cashier.depositPaused,
        withdrawPaused: cashier.withdrawPaused,
        depositFeeBps: constants.depositFeeBps,
        withdrawFeeBps: constants.withdrawFeeBps,
        withdrawalBuffer: formatDecimal(cashier.withdrawalBuffer),
        withdrawalBufferCapacity: formatDecimal(cashier.withdrawalBufferCapacity),
      },
    ],
  });
};

/** The instant as of which quotes and bars of a stock are shown. */
const shownAt = ({ state }: VenueState, symbol: ListedSymbol['symbol'], now: EpochMs): EpochMs =>
  state.frozen[symbol] ?? now;

/** Price and its change in 24 hours. */
function quoteOf(venue: VenueState, { symbol }: ListedSymbol, present: EpochMs) {
  const now = shownAt(venue, symbol, present);
  const { price, change, percent, volume } = venue.market.quoteAt(symbol, now, venue.state.shocks);
  return {
    price,
    change24H: change,
    change24HPercent: percent,
    volume24H: volume,
    lastUpdateTimestamp: toSeconds(now),
  };
}

const tokenOf = ({ address, contractSymbol, contractName }: ListedSymbol) => ({
  contractAddress: address,
  contractSymbol,
  contractName,
  decimals: TOKEN_DECIMALS,
  onChainDecimals: TOKEN_DECIMALS,
});

type TextFrame = Readonly<{ before: string; after: string }>;

/** JSON text of a listing around its quote, which is the only part that changes. */
function frameOf(listing: ListedSymbol): TextFrame {
  const { symbol, tradable, fractionable, overnightTradable, fractionalEhEnabled, name } = listing;
  const traits = { tradable, fractionable, overnightTradable, fractionalEhEnabled };
  const before = JSON.stringify({ symbol, ...tokenOf(listing), ...traits });
  const after = JSON.stringify({ logoUrl: '', name, pdfUrl: '' });
  return { before: `${before.slice(0, -1)},`, after: `,${after.slice(1)}` };
}

const frames = new WeakMap<ListedSymbol, TextFrame>();

function framed(listing: ListedSymbol): TextFrame {
  const frame = frameOf(listing);
  frames.set(listing, frame);
  return frame;
}

function symbolRow(venue: VenueState, listing: ListedSymbol, now: EpochMs): string {
  const changed = venue.state.constants.nights?.[listing.symbol];
  const { before, after } = changed
    ? frameOf({ ...listing, ...(changed as Partial<ListedSymbol>) })
    : (frames.get(listing) ?? framed(listing));
  return before + JSON.stringify(quoteOf(venue, listing, now)).slice(1, -1) + after;
}

const symbols: Handler = ({ venue, now }) =>
  `[${venue.market.listings.map((listing) => symbolRow(venue, listing, now)).join(',')}]`;

/** Finds a listing: `{symbol}` is a stock symbol, a token symbol or a token address. */
function listingAt({ venue, path }: Context): ListedSymbol {
  const name = (path['symbol'] ?? '').trim().toUpperCase();
  const listing = venue.listings.get(name);
  if (!listing) throw notFound(`symbol ${name.slice(0, 66)} is not listed`);
  return listing;
}

const basicInfo = (venue: VenueState, listing: ListedSymbol, now: EpochMs) => ({
  symbol: listing.symbol,
  contractAddress: listing.address,
  contractSymbol: listing.contractSymbol,
  onChainDecimals: TOKEN_DECIMALS,
  name: listing.name,
  exchange: listing.exchange,
  status: listing.tradable ? 'active' : 'inactive',
  ...quoteOf(venue, listing, now),
  tradable: listing.tradable,
  fractionable: listing.fractionable,
});

const underlying: Handler = (context) =>
  JSON.stringify(basicInfo(context.venue, listingAt(context), context.now));

const price: Handler = (context) => {
  const listing = listingAt(context);
  const info = basicInfo(context.venue, listing, context.now);
  const { tokens = {} } = context.venue.state.constants;
  const token = { ...tokenOf(listing), ...tokenShown(info.price, tokens[listing.symbol] ?? tokens['*']) };
  return JSON.stringify({ basicInfo: info, onChain: { chainId: CHAIN_ID, productType: PRODUCT, ...token } });
};

/** Price of a token at its premium over the shares it represents: one, if the multiplier is not a number of shares. */
function tokenShown(share: number, { multiplier, premiumBps = 0, shown = true, contract }: TokenTraits = {}) {
  const ratio = Number(multiplier) > 0 ? Number(multiplier) : 1;
  const price = shown ? share * ((ratio * (10_000 + premiumBps)) / 10_000) : undefined;
  return { price, multiplier: contract === 'uiMultiplier' ? undefined : multiplier };
}

const BARS_DEFAULT = 100;
const ADJUSTMENTS: readonly Adjustment[] = ['raw', 'split', 'dividend', 'spin-off', 'all'];
const isAdjustment = (text: string): text is Adjustment => ADJUSTMENTS.some((each) => each === text);
const isInterval = (text: string | null): text is Interval =>
  BAR_INTERVALS.some((interval) => interval === text);

/** Bars that start in [startTime, endTime], the newest `limit` of them. Volumes are not adjusted. */
const history: Handler = (context) => {
  const { venue, query } = context;
  const { symbol } = listingAt(context);
  const now = shownAt(venue, symbol, context.now);
  const interval = query.get('interval');
  if (!isInterval(interval)) throw invalid(`interval must be one of ${BAR_INTERVALS.join(', ')}`);
  const adjustment = query.get('adjustment') ?? 'all';
  if (!isAdjustment(adjustment)) throw invalid(`adjustment must be one of ${ADJUSTMENTS.join(', ')}`);
  const to = integer(context, 'endTime');
  if (to === null) throw invalid('endTime is required');
  const from = integer(context, 'startTime');
  const limit = integer(context, 'limit') ?? BARS_DEFAULT;
  const bars = venue.market.bars({
    symbol,
    interval,
    asOf: now,
    shocks: adjusted(venue.state.shocks, adjustment),
    ...(from === null ? {} : { from: epochMs(from * 1000) }),
    to: epochMs(Math.min((to + 1) * 1000, now + 1)),
    limit: limit < 1 ? BARS_DEFAULT : Math.min(limit, venue.state.constants.barsMax),
  });
  return JSON.stringify(bars);
};

const DAY = z.iso.date();

function dayIn({ query }: Context, name: string): string | null {
  const day = query.get(name);
  if (day && !DAY.safeParse(day).success) throw invalid(`${name} must be a date such as 2026-06-15`);
  return day === '' ? null : day;
}

const amountOrNull = (wad: bigint): string | null => (wad === 0n ? null : formatDecimal(wad));

/** Announced actions by ex-date. All three dates of an action are the same day. */
const corporateActions: Handler = (context) => {
  const [from, to] = [dayIn(context, 'start'), dayIn(context, 'end')];
  const names = (context.query.get('symbols') ?? '').toUpperCase().split(',').filter(Boolean);
  const rows = context.venue.state.corporateActions.filter(
    ({ symbol, exDate }) =>
      (names.length === 0 || names.includes(symbol)) &&
      (from === null || exDate >= from) &&
      (to === null || exDate <= to),
  );
  return JSON.stringify(
    rows.map(({ symbol, type, exDate, oldRate, newRate, cashPerShare }) => ({
      symbol,
      type,
      exDate,
      recordDate: exDate,
      payableDate: exDate,
      oldRate: amountOrNull(oldRate),
      newRate: amountOrNull(newRate),
      cashPerShare: amountOrNull(cashPerShare),
    })),
  );
};

export const marketRoutes: Routes = {
  'GET /api/v1/config': config,
  'GET /api/v1/symbols': symbols,
  'GET /api/v1/prices/{symbol}': price,
  'GET /api/v1/prices/{symbol}/history': history,
  'GET /api/v1/corporate-action': corporateActions,
  'GET /api/v1/underlying/{symbol}/price': underlying,
};
