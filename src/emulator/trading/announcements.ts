import { z } from 'zod';
import { parseDecimal } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { fitsName } from '../../domain/corporateAction.ts';
import type { AnnouncedAction } from '../state/state.ts';
import { priceOf, scheduleFirst, type VenueState } from '../state/venueState.ts';

const split = {
  symbol: z.string(),
  exDate: z.iso.date().optional(),
  /** `oldRate` shares become `newRate`. */
  oldRate: z.string(),
  newRate: z.string(),
};

const payment = {
  symbol: z.string(),
  exDate: z.iso.date().optional(),
  /** mUSD: of a spin-off what a share of the new company is worth to a holder, who gets it in cash. */
  cashPerShare: z.string(),
};

export const corporateAction = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('forward_split'), ...split }),
  z.strictObject({ type: z.literal('reverse_split'), ...split }),
  z.strictObject({
    type: z.literal('cash_dividend'),
    ...payment,
  }),
  z.strictObject({ type: z.literal('spin_off'), ...payment }),
]);

type Announcement = z.output<typeof corporateAction>;

/** Schedules an action at the open of its ex-date. @throws {InvalidValueError} when it cannot happen */
export function announce(venue: VenueState, announced: Announcement, now: EpochMs): void {
  const symbol = venue.listings.get(announced.symbol.toUpperCase())?.symbol;
  if (symbol === undefined) throw new InvalidValueError(`${announced.symbol} is not listed`);
  const { exDate, open } = exDateOf(venue, announced, now);
  const terms = 'cashPerShare' in announced ? paymentOf(announced) : splitOf(announced);
  if (terms.cashPerShare >= priceOf(venue, symbol, now))
    throw new InvalidValueError('what is paid must be below the price');
  const { corporateActions } = venue.state;
  scheduleFirst(venue.state, { due: open, kind: 'corporateAction', id: corporateActions.length });
  corporateActions.push({ symbol, type: announced.type, exDate, ...terms, appliedAt: null });
}

function exDateOf({ calendar }: VenueState, { exDate }: Announcement, now: EpochMs) {
  const session = exDate === undefined ? calendar.nextSession(now) : calendar.sessionOn(exDate);
  if (!session) throw new InvalidValueError(`there is no session on ${String(exDate)}`);
  if (session.open <= now) throw new InvalidValueError(`the session of ${String(exDate)} has opened already`);
  return { exDate: calendar.newYorkDate(session.open), open: session.open };
}

type Terms = Pick<AnnouncedAction, 'oldRate' | 'newRate' | 'cashPerShare'>;

function paymentOf({ cashPerShare: text }: Extract<Announcement, { cashPerShare: string }>): Terms {
  const cashPerShare = parseDecimal(text);
  if (cashPerShare === 0n) throw new InvalidValueError('what is paid must be above 0');
  return { oldRate: 0n, newRate: 0n, cashPerShare };
}

function splitOf({ type, ...rates }: Exclude<Announcement, { cashPerShare: string }>): Terms {
  const [oldRate, newRate] = [parseDecimal(rates.oldRate), parseDecimal(rates.newRate)];
  if (oldRate === 0n || newRate === 0n || !fitsName(type, { oldRate, newRate }))
    throw new InvalidValueError(`${rates.oldRate} for ${rates.newRate} is no ${type.replace('_', ' ')}`);
  return { oldRate, newRate, cashPerShare: 0n };
}
