import { z } from 'zod';
import { InvalidValueError } from '../../core/errors.ts';
import { cash, notionalOf, price, shares, WAD } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Address } from '../../domain/instrument.ts';
import { balanceOf, transfer, type Bucket } from '../state/ledger.ts';
import { shockOf } from '../market/shocks.ts';
import type { AnnouncedAction } from '../state/state.ts';
import { known, priceOf, type VenueState, scheduleFirst } from '../state/venueState.ts';
import { actionOf } from '../../domain/corporateAction.ts';
import { exDateBegins } from '../../sim/dayEnd.ts';

export const announcedAction = ({ state }: VenueState, id: number): AnnouncedAction =>
  known(state.corporateActions[id], `corporate action ${id}`);

/**
 * Applies an action: changes the price from the ex-date's open on, and the holdings and debts of accounts. The stock has no live
 * orders. A payment in tokens gives as many shares as it buys at the price after it; one within the price changes nothing.
 */
export function applyAction(venue: VenueState, action: AnnouncedAction, at: EpochMs): void {
  const { pays = 'cash', stocks, withheldBps = 0 } = venue.state.constants.dividends ?? {};
  const way = stocks?.[action.symbol] ?? pays;
  action.appliedAt = at;
  if (action.cashPerShare > 0n && way === 'price') return;
  const middle = priceOf(venue, action.symbol, at);
  venue.state.shocks = [...venue.state.shocks, shockOf(action, middle, at)];
  const cashPerShare = cash((action.cashPerShare * BigInt(10_000 - withheldBps)) / 10_000n);
  const after = middle > action.cashPerShare ? middle - action.cashPerShare : 1n;
  const rates = action.cashPerShare > 0n ? { oldRate: after, newRate: after + cashPerShare } : action;
  if (action.cashPerShare > 0n && way === 'tokens') action.growth = (rates.newRate * WAD) / rates.oldRate;
  for (const { userAddress } of venue.state.accounts)
    if (action.cashPerShare > 0n && way === 'cash') payOut(venue, { ...action, cashPerShare }, userAddress);
    else
      for (const bucket of ['exchange', 'wallet', 'debt'] as const)
        split(venue, { ...action, ...rates }, { userAddress, bucket });
}

type Holding = Readonly<{ userAddress: Address; bucket: Bucket }>;

/** Rescales a balance: holdings are rounded down, debt up, at the eighteenth place. */
function split({ state }: VenueState, action: AnnouncedAction, { userAddress, bucket }: Holding): void {
  const { symbol: asset, oldRate, newRate } = action;
  const place = { holder: userAddress, bucket };
  const before = balanceOf(state.balances, place, asset);
  const up = bucket === 'debt' ? oldRate - 1n : 0n;
  const change = (before * newRate + up) / oldRate - before;
  if (change > 0n) transfer(state.balances, { asset, amount: change, from: 'venue', to: place });
  if (change < 0n) transfer(state.balances, { asset, amount: -change, from: place, to: 'venue' });
}

/** Pays cash for shares held on the exchange and in the wallet, less shares owed; never takes cash. */
function payOut({ state }: VenueState, action: AnnouncedAction, holder: Address): void {
  const { symbol, cashPerShare } = action;
  const of = (bucket: Bucket) => balanceOf(state.balances, { holder, bucket }, symbol);
  const entitled = of('exchange') + of('wallet') - of('debt');
  if (entitled <= 0n) return;
  const amount = cash(notionalOf(shares(entitled), price(cashPerShare), 'down'));
  transfer(state.balances, { asset: 'mUSD', amount, from: 'venue', to: { holder, bucket: 'exchange' } });
}

const splitTerms = {
  symbol: z.string(),
  exDate: z.iso.date().optional(),
  /** `oldRate` shares become `newRate`. */
  oldRate: z.string(),
  newRate: z.string(),
};

const paymentTerms = {
  symbol: z.string(),
  exDate: z.iso.date().optional(),
  /** mUSD per share; for a spin-off the value of the new company's share, which holders receive in cash. */
  cashPerShare: z.string(),
};

export const corporateAction = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('forward_split'), ...splitTerms }),
  z.strictObject({ type: z.literal('reverse_split'), ...splitTerms }),
  z.strictObject({ type: z.literal('cash_dividend'), ...paymentTerms }),
  z.strictObject({ type: z.literal('spin_off'), ...paymentTerms }),
]);

type Announcement = z.output<typeof corporateAction>;

/** Schedules an action at the start of its ex-date. @throws {InvalidValueError} when it is impossible */
export function announce(venue: VenueState, announced: Announcement, now: EpochMs): void {
  const symbol = venue.listings.get(announced.symbol.toUpperCase())?.symbol;
  if (symbol === undefined) throw new InvalidValueError(`${announced.symbol} is not listed`);
  const { exDate, begins } = exDateOf(venue, announced, now);
  const terms = termsOf({ ...announced, symbol, exDate });
  if (terms.cashPerShare >= priceOf(venue, symbol, now))
    throw new InvalidValueError('what is paid must be below the price');
  const { corporateActions, tasks } = venue.state;
  const task = { due: begins, kind: 'corporateAction', id: corporateActions.length } as const;
  // Payments refer to shares before the splits of the same day.
  const payment = tasks.findLastIndex(
    ({ due, ...other }) =>
      due === begins &&
      other.kind === 'corporateAction' &&
      (corporateActions[other.id]?.cashPerShare ?? 0n) > 0n,
  );
  if (terms.cashPerShare > 0n || payment < 0) scheduleFirst(venue.state, task);
  else tasks.splice(payment + 1, 0, task);
  corporateActions.push({ symbol, type: announced.type, exDate, ...terms, appliedAt: null });
}

function exDateOf({ calendar, state }: VenueState, { exDate, ...terms }: Announcement, now: EpochMs) {
  const session = exDate === undefined ? calendar.nextSession(now) : calendar.sessionOn(exDate);
  if (!session) throw new InvalidValueError(`there is no session on ${String(exDate)}`);
  if (session.open <= now) throw new InvalidValueError(`the session of ${String(exDate)} has opened already`);
  const date = calendar.newYorkDate(session.open);
  const rules = 'cashPerShare' in terms ? (state.constants.dividends ?? {}) : {};
  const begins = exDateBegins(calendar, date, rules);
  if (begins <= now) throw new InvalidValueError(`the ex-date ${date} has begun already`);
  return { exDate: date, begins };
}

/** `symbol`: as listed by the venue, whatever its case in the input. */
function termsOf(announced: Announcement): Pick<AnnouncedAction, 'oldRate' | 'newRate' | 'cashPerShare'> {
  const action = actionOf(announced);
  return action.kind === 'split'
    ? { oldRate: action.oldRate, newRate: action.newRate, cashPerShare: 0n }
    : { oldRate: 0n, newRate: 0n, cashPerShare: action.perShare };
}
