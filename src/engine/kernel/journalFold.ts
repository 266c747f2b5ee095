import { lined, packed, restoreState, stateText } from '../../core/stateText.ts';
import { price as asPrice, type Price } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Mismatch } from '../../domain/account/comparison.ts';
import { rescalePrice } from '../../domain/corporateAction.ts';
import type { Instrument, Ticker } from '../../domain/instrument.ts';
import type { JournalEntry, JournalEvent } from '../../domain/journalEvent.ts';
import { AccountState } from '../../domain/account/accountState.ts';
import { FetchedTexts } from '../state/fetchedTexts.ts';
import { MarketView } from '../state/market.ts';
import { LastRun } from './startCheck.ts';

/** Difference found by the latest comparison of ledger and venue. */
type NotedDifference = Pick<Mismatch, 'side' | 'asset' | 'expected' | 'actual'>;

/** Targets of a fold: the account, recalled prices and fetched texts. */
type FoldContext = Readonly<{
  accountState: AccountState;
  market: Pick<MarketView, 'recall' | 'recalled'>;
  fetched: FetchedTexts;
}>;

/** Everything derived from a journal: the account, and the data that a start continues from. A checkpoint is its text. */
export class JournalFold {
  readonly lastRun = new LastRun();
  /** Last recorded prices, with their times, by stock. */
  readonly prices = new Map<Ticker, Readonly<{ price: Price; at: EpochMs }>>();
  readonly instruments = new Map<Ticker, Instrument>();
  /** Differences not accepted by an operator since. One that went away by itself stays: only a run notices that. */
  readonly differences = new Map<string, NotedDifference>();
  /** Start of the last process that ran strategies. */
  readonly startedAt: EpochMs | null = null;
  readonly lastAt: EpochMs | null = null;
  /** End of that process; null if it recorded none. */
  readonly ended: Readonly<{ at: EpochMs; why: string }> | null = null;
  readonly #context: FoldContext;

  constructor({ accountState, market, fetched }: Partial<FoldContext> = {}) {
    this.#context = {
      accountState: accountState ?? new AccountState(),
      market: market ?? new MarketView(),
      fetched: fetched ?? new FetchedTexts(),
    };
  }

  get accountState(): AccountState {
    return this.#context.accountState;
  }

  /** @throws {InvariantError} when the entry contradicts those before it */
  apply(entry: JournalEntry): void {
    const { accountState, market, fetched } = this.#context;
    const { at, fact } = entry;
    accountState.apply(entry);
    market.recall(fact);
    fetched.note(entry);
    this.lastRun.note(entry);
    this.#notePrices(fact, at);
    this.#noteDifference(fact);
    const own = this as { -readonly [F in 'startedAt' | 'lastAt' | 'ended']: JournalFold[F] };
    if (fact.kind === 'epoch' && !fact.manual) [own.startedAt, own.ended] = [at, null];
    if (fact.kind === 'ended') own.ended = { at, why: fact.why };
    own.lastAt = at;
  }

  /** Text in UTF-8 from which `restore` makes an equal fold: equal folds have equal texts. */
  text(): Buffer {
    const parts = this.#parts();
    const { orders, ended, byTx, byVenueId, attempts, filledByIntent } = parts.accountState;
    const grown = { orders: packed(orders), ended: packed(ended), filledByIntent: filledByIntent.lined() };
    const found = { byTx: lined(byTx), byVenueId: lined(byVenueId), attempts: lined(attempts) };
    return stateText({ ...parts, accountState: { ...parts.accountState, ...grown, ...found } });
  }

  /** @throws {InvariantError} if the text has another structure than today's; nothing was changed then */
  restore(text: Buffer): void {
    const parts = this.#parts();
    restoreState(parts, text);
    Object.assign(this.accountState, parts.accountState);
    this.accountState.trades.exits.relink();
  }

  /** Parts to store, each once: without those of the account that have a second name there. */
  #parts() {
    const { accountState, market, fetched } = this.#context;
    const { live: _live, external: _external, frozen: _frozen, ...own } = accountState;
    return { accountState: own, recalled: market.recalled, fetched, fold: this };
  }

  #notePrices(fact: JournalEvent, at: EpochMs): void {
    if (fact.kind === 'quotes' || fact.kind === 'opened')
      for (const [symbol, price] of fact.prices ?? []) this.prices.set(symbol, { price, at });
    if (fact.kind === 'instruments')
      for (const instrument of fact.instruments) this.instruments.set(instrument.symbol, instrument);
    const known = fact.kind === 'split' ? this.prices.get(fact.action.symbol) : undefined;
    if (fact.kind !== 'split' || !known) return;
    const price = asPrice(rescalePrice(known.price, fact.action));
    this.prices.set(fact.action.symbol, { ...known, price });
  }

  #noteDifference(fact: JournalEvent): void {
    if (fact.kind === 'epoch') this.differences.clear();
    if (fact.kind === 'balanceAccepted') this.differences.delete(`${fact.side} ${fact.asset}`);
    if (fact.kind !== 'difference') return;
    const { asset, side = 'venue', expected, actual } = fact;
    this.differences.set(`${side} ${asset}`, { asset, side, expected, actual });
  }
}
