import { price as asPrice, type Price } from '../../core/amount.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import type { TradingCalendar } from '../../calendar/index.ts';
import type { Mismatch } from '../../domain/account/comparison.ts';
import { rescalePrice } from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { JournalEntry, JournalEvent } from '../../domain/journalEvent.ts';
import type { TradingRules } from '../../domain/limits.ts';
import { describeMismatch } from '../../engine/account/reconciliation.ts';
import { EngineContext } from '../../engine/state/engineContext.ts';
import type { Status } from './status.ts';
import type { StandingDifference } from './todo.ts';

/**
 * State of a run as its journal leaves it. `startedAt`, `lastAt`: of its last process, and of its last entry, null for an empty
 * journal. `lastEnd`: null when the last process wrote no end.
 */
export type JournalState = Readonly<{
  context: EngineContext;
  differences: readonly StandingDifference[];
  startedAt: EpochMs | null;
  lastAt: EpochMs | null;
  lastEnd: Status['lastEnd'];
}>;

type JournalStateSetup = Readonly<{ calendar: TradingCalendar; rules: TradingRules; now: EpochMs }>;

/** Folds a journal into the state that a status is made from. Prices are the last that it recorded. */
export function journalState(
  entries: Iterable<JournalEntry>,
  { calendar, rules, now }: JournalStateSetup,
): JournalState {
  const context = new EngineContext(
    { calendar, rules },
    {
      orderMoved: ignore,
      intentMoved: ignore,
      intentRefused: ignore,
      heldMoved: ignore,
      actionBooked: ignore,
    },
  );
  context.begin(now);
  const prices = new LastPrices(context);
  const differences = new LastDifferences();
  let [startedAt, lastAt]: [EpochMs | null, EpochMs | null] = [null, null];
  let lastEnd: Status['lastEnd'] = null;
  for (const { at, fact } of entries) {
    context.accountState.apply({ at, fact });
    prices.note(fact, at);
    differences.note(fact);
    if (fact.kind === 'epoch' && !fact.manual) [startedAt, lastEnd] = [at, null];
    if (fact.kind === 'ended') lastEnd = { at: toIso(at), text: fact.why };
    lastAt = at;
  }
  return { context, differences: differences.all, startedAt, lastAt, lastEnd };
}

const ignore = (): void => undefined;

/** Latest prices and instruments of a journal, which a context reads from here. */
class LastPrices {
  readonly #context: EngineContext;
  readonly #latest = new Map<Ticker, Readonly<{ price: Price; at: EpochMs }>>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  note(fact: JournalEvent, at: EpochMs): void {
    if (fact.kind === 'quotes') for (const [symbol, price] of fact.prices) this.#set(symbol, price, at);
    if (fact.kind === 'instruments')
      for (const instrument of fact.instruments)
        this.#context.market.instruments.set(instrument.symbol, instrument);
    if (fact.kind !== 'split') return;
    const { symbol } = fact.action;
    const known = this.#latest.get(symbol);
    if (known) this.#set(symbol, asPrice(rescalePrice(known.price, fact.action)), known.at);
  }

  #set(symbol: Ticker, price: Price, at: EpochMs): void {
    if (!this.#latest.has(symbol))
      this.#context.market.follow(symbol, () => {
        const latest = this.#latest.get(symbol);
        return latest && { symbol, ...latest };
      }, []);
    this.#latest.set(symbol, { price, at });
  }
}

/** Differences of the journal that no operator has accepted since. One that has gone by itself stays: only a run sees that. */
class LastDifferences {
  readonly #latest = new Map<string, Pick<Mismatch, 'side' | 'asset' | 'expected' | 'actual'>>();

  note(fact: JournalEvent): void {
    if (fact.kind === 'epoch') this.#latest.clear();
    if (fact.kind === 'balanceAccepted') this.#latest.delete(`${fact.side} ${fact.asset}`);
    if (fact.kind !== 'difference') return;
    const { asset, side = 'venue', expected, actual } = fact;
    this.#latest.set(`${side} ${asset}`, { asset, side, expected, actual });
  }

  get all(): StandingDifference[] {
    return [...this.#latest.values()].map((each) => ({
      asset: each.asset,
      text: `${describeMismatch(each)}, when they were last compared`,
    }));
  }
}
