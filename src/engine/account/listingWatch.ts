import type { EpochMs } from '../../core/brand.ts';
import { ticker, type Ticker } from '../../domain/instrument.ts';
import type { Listing } from '../../domain/venue.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { HoursWatch } from './hoursWatch.ts';

/** Time in ms for which a stock may be missing in the venue's listings before an alarm: one row may be unreadable. */
const GRACE_MS = 60_000;

/** A stock that the venue does not list, or does not trade. `wasAtStart`: its bars could not be read at the start. */
type Absence = { readonly since: EpochMs; readonly wasAtStart: boolean; isReported: boolean };

const keyOf = (symbol: Ticker): string => `listing ${symbol}`;

/**
 * Stocks requested by strategies, or held, that the venue does not list or trade. Each raises its own alarm until it is
 * back; nothing else waits for it.
 */
export class ListingWatch {
  readonly #context: EngineContext;
  readonly #named: ReadonlySet<string>;
  readonly #absent = new Map<Ticker, Absence>();
  readonly #hours: HoursWatch;

  constructor(context: EngineContext, named: ReadonlySet<string>) {
    this.#context = context;
    this.#named = named;
    this.#hours = new HoursWatch(context);
  }

  /** @param moved number of listings whose price differs from the previous list */
  take(listings: readonly Listing[], moved: number): void {
    this.#hours.take(listings, moved);
    const traded = new Set<string>();
    for (const { instrument } of listings) if (instrument.tradable) traded.add(instrument.symbol);
    for (const symbol of this.#watched())
      if (traded.has(symbol)) this.#back(symbol);
      else this.#missing(symbol);
  }

  #watched(): ReadonlySet<Ticker> {
    const { accountState } = this.#context;
    const watched = new Set([...this.#named].map((symbol) => ticker(symbol)));
    for (const asset of accountState.ledger.assets)
      if (asset !== 'mUSD' && accountState.ledger.total(asset) !== 0n) watched.add(asset);
    for (const { order } of accountState.synthetics.live.values()) watched.add(order.symbol);
    return watched;
  }

  #missing(symbol: Ticker): void {
    const { now, isStarting, accountState } = this.#context;
    const absence = this.#absent.get(symbol) ?? { since: now, wasAtStart: isStarting, isReported: false };
    this.#absent.set(symbol, absence);
    // On the first start of a state folder, the start is refused instead.
    const isDue = isStarting ? accountState.opened !== null : now - absence.since >= GRACE_MS;
    if (absence.isReported || !isDue) return;
    absence.isReported = true;
    this.#context.alarm(keyOf(symbol), absentText(this.#context, symbol), { code: 'NOT_LISTED', symbol });
  }

  #back(symbol: Ticker): void {
    const absence = this.#absent.get(symbol);
    if (!absence || !this.#absent.delete(symbol)) return;
    if (absence.isReported)
      this.#context.allClear(keyOf(symbol), `${symbol} is listed and tradable again: orders on it continue`);
    if (absence.wasAtStart) this.#context.ask({ kind: 'rewarm', symbol });
  }
}

function absentText({ accountState }: EngineContext, symbol: Ticker): string {
  const { ledger, synthetics } = accountState;
  const held = ledger.total(symbol) === 0n ? '' : ', and the shares of it that are held cannot be sold';
  const exits =
    synthetics.inSymbol(symbol).size > 0 ? '; the stops and other orders of this bot on it wait' : '';
  return (
    `${symbol} is not listed or not tradable at the venue: nothing is sent for it${held}${exits}. Everything else continues. ` +
    '`drover api GET /api/v1/symbols` shows what is listed'
  );
}
