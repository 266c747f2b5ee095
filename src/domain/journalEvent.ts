import type { Cash, Price, Shares } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Bar, Interval } from './bar.ts';
import type { Split, Entitlement, TokenPayment } from './corporateAction.ts';
import type { Address, Instrument, QuotePhase, Ticker } from './instrument.ts';
import type { Holding, Acceptance } from './account/ledger.ts';
import type { Transfer, TransferEvent, TransferId } from './transfers/transfer.ts';
import type { PlottedSeries } from './plots.ts';
import type { TokenPrice } from './premium.ts';
import type { EndCode } from './orders/endCode.ts';
import type { Order, OrderId, OrderEvent } from './orders/order.ts';
import type { Pin, PinSubject, PinTerms } from './account/pins.ts';
import type { OrderReport, Side, SignedSend, SignedTransaction } from './venue.ts';
import type { IntentEnd, IntentRefusal, OrderIntent } from './orders/orderIntent.ts';
import type {
  SyntheticEnd,
  SyntheticEvent,
  SyntheticOrder,
  SyntheticState,
} from './orders/syntheticOrder.ts';
import type { OperatorAnswer, OperatorRequest } from './operator/command.ts';
import type { CommandId, Restriction } from './operator/restriction.ts';

/** Event as stored in the journal. Recovery restores the account state by folding all events in order. */
export type JournalEvent = Readonly<
  /**
   * Start of a process that writes this journal; its number is one more than the previous one's. `assumptions`: names
   * and words of the venue in its config, if not the default. Reports are stored as that process read them. `manual`: a
   * command without a daemon, which runs no strategies and writes no end; absent in journals of 0.8.0 and earlier.
   */
  | { kind: 'epoch'; epoch: number; assumptions?: Readonly<Record<string, unknown>>; manual?: true }
  /** Clean end of a run. A run without this event before the next epoch was killed. */
  | { kind: 'ended'; why: string; how: 'in order' | 'at once' | 'crashed' }
  /**
   * Opening balances. `equity`: cash and holdings at the first prices, the baseline of the run. `prices`: those of the
   * holdings that had one; absent in journals of 0.8.0 and earlier.
   */
  | {
      kind: 'opened';
      cash: Cash;
      holdings: readonly (readonly [Ticker, Shares])[];
      equity: Cash;
      prices?: readonly (readonly [Ticker, Price])[];
    }
  | { kind: 'allocated'; strategyId: string; amount: Cash }
  | { kind: 'intentCreated'; intent: OrderIntent }
  /** `code` here and below: absent in journals of 0.7.0 and earlier. */
  | { kind: 'intentDeferred'; id: string; notBefore: EpochMs; why: string; code?: EndCode | undefined }
  | { kind: 'intentEnded'; id: string; how: IntentEnd; why: string; code?: EndCode | undefined }
  /** A refused call of a strategy. In journals of 0.8.0 and earlier, such a call stopped the strategy instead. */
  | ({ kind: 'intentRefused' } & IntentRefusal)
  | { kind: 'syntheticPlaced'; order: SyntheticOrder }
  | { kind: 'syntheticMoved'; id: string; event: SyntheticEvent }
  | { kind: 'syntheticEnded'; id: string; how: SyntheticEnd; why: string }
  | { kind: 'planned'; order: Order }
  /** `request`: the exact bytes of a send or a cancel, stored before the first of them is sent. */
  | { kind: 'order'; id: OrderId; event: OrderEvent; request?: SignedSend }
  | { kind: 'strategyState'; strategyId: string; state: Readonly<Record<string, unknown>> }
  | { kind: 'strategyStopped'; strategyId: string; error: string }
  | { kind: 'strategyStarted'; strategyId: string }
  /** The shared thread of a strategy has ended: it restarts on its stored state. `alone`: the one with its own thread from then on. */
  | { kind: 'strategyRestarted'; strategyId: string; why: string; alone: string }
  /** A strategy waits until its warm-up is complete and receives only bars. `series`: those that lack bars. */
  | {
      kind: 'warmUpAwaited';
      strategyId: string;
      series: readonly Readonly<{ symbol: string; interval: Interval; needed: number; had: number }>[];
    }
  /** The warm-up of a waiting strategy is complete, and it has started. */
  | { kind: 'warmedUp'; strategyId: string }
  /** The fill of an order has been delivered to its strategy. */
  | { kind: 'fillDelivered'; id: OrderId }
  /** `unaccepted`: found by a start, which sends nothing until an operator has accepted it. */
  | { kind: 'external'; txHash: string; report: OrderReport | null; why: string; unaccepted?: true }
  /** Operator's confirmation that an external order is known and intended. */
  | { kind: 'externalAccepted'; txHash: string; reason: string }
  /** Cancel of an external order, requested by an operator. `request`: as for an order. */
  | { kind: 'externalCancel'; txHash: string; event: ExternalCancelEvent; request?: SignedSend }
  /**
   * Freeze of a symbol, or a further cause of one. `shown`: the venue's report that caused it, which later reads may
   * show again. `guards`: it does not stop protective sells.
   */
  | { kind: 'frozen'; symbol: Ticker; why: string; shown?: string; guards?: 'buys' }
  /** Written by 0.7.0 and earlier: the whole run is halted until `resumed`. Now a restriction. */
  | { kind: 'halted'; why: string }
  /** A command of an operator, stored before it is carried out. Replays decide its immediate consequences again. */
  | ({ kind: 'operator' } & OperatorRequest)
  | { kind: 'operatorAnswered'; id: CommandId; answer: OperatorAnswer }
  /** Trading is restricted, or a restriction is lifted. `since`: time of the entry. */
  | ({ kind: 'restricted' } & Omit<Restriction, 'since'>)
  | ({ kind: 'restrictionLifted' } & Omit<Restriction, 'since' | 'state' | 'command'>)
  /** End of a flatten: nothing is left to sell, or another command has ended it. `id`: of its command; `left`: what remains. */
  | { kind: 'flattened'; id: CommandId; why: string; left?: readonly string[] }
  /** Terms of the venue as first seen, or (with `reason`) as accepted by an operator. Later pins replace earlier ones. */
  | { kind: 'pinned'; pins: readonly Pin[]; reason?: string }
  /** Highest equity under a drawdown limit, when it has risen or capital has moved it: by strategy, all under ''. */
  | { kind: 'equityPeaks'; peaks: readonly (readonly [string, Cash])[] }
  /** An operator has declared that an order in doubt moved nothing more. */
  | { kind: 'doubtLifted'; id: OrderId }
  /** Fees of a settlement that exceed all known ones: their total in hundredths of a percent of its notional. */
  | { kind: 'feeTaken'; id: OrderId; side: Side; bps: number }
  /** The venue states other terms than the pinned ones; null when it states those again. */
  | { kind: 'departed'; subject: PinSubject; terms: PinTerms | null }
  /**
   * Operators' commands: release a symbol from all causes, resume, or accept the venue's balance. `shown`: the report
   * that froze the symbol and does not freeze it again; `alsoShown`: those of its further causes. `over`: the one cause
   * that ended by itself, while the others remain.
   */
  | {
      kind: 'released';
      symbol: Ticker;
      reason: string;
      shown?: string;
      alsoShown?: readonly string[];
      over?: string;
    }
  | { kind: 'resumed'; reason: string }
  | ({ kind: 'balanceAccepted'; reason: string } & Acceptance)
  /** A call that the signing rules blocked. `group`: the group that would allow it; null if none does. */
  | { kind: 'denied'; method: string; path: string; group: string | null }
  /** Empty transaction signed to replace a waiting one with this nonce. `replaces`: hash of the waiting one. */
  | { kind: 'nonceCancelled'; nonce: number; replaces: string; request: SignedTransaction }
  /** Amount shown by the account: at the venue, or on the given `side`. */
  | {
      kind: 'difference';
      asset: Holding;
      side?: 'wallet' | 'debt' | undefined;
      expected: bigint;
      actual: bigint;
    }
  /** Opening balances of the wallet; cash tokens by lower-case address, as wads. */
  | {
      kind: 'walletOpened';
      tokens: readonly (readonly [Address, bigint])[];
      stocks: readonly (readonly [Ticker, Shares])[];
    }
  /** Opening debts of deferred sells. */
  | { kind: 'debtsOpened'; debts: readonly (readonly [Ticker, Shares])[] }
  /** Split of all shares in the ledger, with waiting `intents` and `synthetics` in their new terms. */
  | {
      kind: 'split';
      action: Split;
      intents: readonly OrderIntent[];
      synthetics?: readonly SyntheticState[];
    }
  /** Entitlement to a dividend, for the shares held at this time. */
  | ({ kind: 'entitled' } & Entitlement)
  /** A dividend has been paid. `id`: of its corporate action. */
  | { kind: 'paid'; id: string }
  /** A dividend has been paid in shares. */
  | ({ kind: 'paidInTokens' } & TokenPayment)
  /** Worthless shares, booked as a loss of their cost. `value`: at their last price. */
  | { kind: 'writtenOff'; strategyId: string; symbol: Ticker; quantity: Shares; value: Cash; why: string }
  | { kind: 'transferPlanned'; transfer: Transfer }
  /** `request`: as for an order. */
  | { kind: 'transfer'; id: TransferId; event: TransferEvent; request?: SignedSend }
  | { kind: 'treasuryStopped'; why: string }
  /** `equity` by strategy, with all together under the empty key: the day's loss counts from the open. */
  | {
      kind: 'session';
      change: 'opened' | 'closed';
      date: string;
      equity: readonly (readonly [string, Cash])[];
    }
  /** Start of a trading day at 20:00 the evening before, if phases outside the session are traded: the day's loss and turnover count from it. */
  | { kind: 'dayBegan'; date: string; equity: readonly (readonly [string, Cash])[] }
  /** The venue refused a market order in the session of `date`, stating that it is in another session, `named`. */
  | { kind: 'sessionDoubted'; date: string; named: string }
  /**
   * Strategies act between these two events. `strategies`: their ids in order; absent in journals of 0.8.0 and earlier.
   * `alone`: those that must not share a thread; absent if none.
   */
  | { kind: 'started'; strategies?: readonly string[]; alone?: readonly string[] }
  | { kind: 'stopping' }
  /**
   * Inputs of decisions: stored for replay, not part of the account state except the contract of a stock without a pin.
   * Recorded at the start, and when they change.
   */
  | { kind: 'bar'; bar: Bar; warm: boolean }
  /** Strategies are rebuilt after a split of a stock, without bars to show them. */
  | { kind: 'rewarmed'; symbol: Ticker }
  | { kind: 'instruments'; instruments: readonly Instrument[] }
  /**
   * `phase`: phase of the quotes, delivered to strategies that listen to it; null for quotes of an earlier phase,
   * delivered to none. Absent at a start, and in journals of 0.4.0 or earlier, which delivered the quotes of every phase.
   */
  | { kind: 'quotes'; prices: readonly (readonly [Ticker, Price])[]; phase?: QuotePhase | null }
  /** Changed token prices, with the ratios in force; at a start, all known ones. */
  | { kind: 'tokenPrices'; tokens: readonly TokenPrice[] }
  | { kind: 'timer'; strategyId: string; timer: string }
  /** All bars of one time have been delivered, in a run with a strategy that takes them together. */
  | { kind: 'barsShown' }
  /**
   * Dated series as in its file when the run began, and after each change of the file: number of rows, and their hash.
   * The rows stay in the file.
   */
  | { kind: 'series'; strategyId: string; name: string; rows: number; hash: string }
  /** Text fetched from an address for a strategy, as received. Without `text`, the previous one. */
  | { kind: 'fetched'; strategyId: string; name: string; text?: string }
  /** Line of a strategy's log. */
  | {
      kind: 'logged';
      strategyId: string;
      text: string;
      fields?: Readonly<Record<string, string | number | boolean | null>>;
    }
  /** Values that a strategy has plotted. */
  | { kind: 'plotted'; strategyId: string; series: readonly PlottedSeries[] }
  /** The state after all earlier entries was stored next to the journal. `hash`: of its text, in this `form`. */
  | { kind: 'checkpoint'; form: string; hash: string }
>;

/** Progress of an external order's cancel. `txHash`: transaction of the cancel. */
export type ExternalCancelEvent = Readonly<
  | { kind: 'wanted' | 'sent' }
  | { kind: 'accepted'; txHash: string }
  | { kind: 'refused' | 'stopped' | 'lost'; reason: string }
>;

const SHOWN = [
  'quotes',
  'tokenPrices',
  'bar',
  'barsShown',
  'fetched',
  'plotted',
] as const satisfies readonly JournalEvent['kind'][];
/** Kinds of entries that only show prices and texts, and what strategies derive from them: most of a journal. */
export const SHOWN_KINDS: ReadonlySet<string> = new Set(SHOWN);
type SaidKind = 'ended' | 'stopping' | 'rewarmed' | 'denied' | 'nonceCancelled' | 'series' | 'logged';
/** Kinds of events that change the account state. */
export type BookedKind = Exclude<JournalEvent['kind'], (typeof SHOWN)[number] | SaidKind | 'checkpoint'>;
export type JournalEventOf<Kind extends JournalEvent['kind']> = Extract<JournalEvent, { kind: Kind }>;

export type JournalEntry = Readonly<{ at: EpochMs; fact: JournalEvent }>;

/** Order that an event is about, to look up its history. */
export function orderOf(fact: JournalEvent): string | null {
  if (fact.kind === 'order' || fact.kind === 'fillDelivered' || fact.kind === 'doubtLifted') return fact.id;
  return fact.kind === 'planned' ? fact.order.id : null;
}

/** Text stored as its bytes: reading and hashing millions of characters takes a tenth of the time. `read`: null before the first. */
export type SavedText = Readonly<{ read(): Uint8Array | null; write(text: Uint8Array): void }>;

/** Append-only, durable journal. */
export interface Journal {
  /**
   * Durable when it returns. If it throws, nothing of the batch is stored, and no effect of it may follow.
   * @throws {JournalError} if the disk refuses it; the same batch may be committed again
   * @throws {JournalLostError} if the file that it writes to was removed or replaced
   * @throws {SafetyError} if another process has written since
   */
  commit(batch: readonly JournalEntry[]): void;
  /** Entries in commit order, from a number on. Default: all. */
  entries(from?: number): Iterable<JournalEntry>;
  /** Text of the latest checkpoint, stored next to the entries. Absent if none is stored. */
  saved?: SavedText;
  /** Number of the last entry; the first is 1. 0 if there is none. */
  length(): number;
  /** Reason why commits may soon fail although they still succeed; null if nothing is wrong. */
  strain?(): string | null;
  /** Reason why entries are no longer stored, such as a removed or replaced file; null while they are. Never cleared. */
  lost?(): string | null;
  close(): void;
}
