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

/** Event as the journal keeps it. Recovery restores the account state by folding all events in order. */
export type JournalEvent = Readonly<
  /**
   * Start of a process that writes this journal; its number is one more than the previous one's. `assumptions`: names and words of
   * the venue in its config, if they are not the default. Reports are kept as that process read them. `manual`: a command without
   * a daemon, which runs no strategies and writes no end; absent in journals of 0.8.0 and before.
   */
  | { kind: 'epoch'; epoch: number; assumptions?: Readonly<Record<string, unknown>>; manual?: true }
  /** Clean end of a run. A run without this event before the next epoch was killed. */
  | { kind: 'ended'; why: string; how: 'in order' | 'at once' | 'crashed' }
  /**
   * Opening balances. `equity`: cash and holdings at the first prices, against which the run is measured. `prices`: those prices, of
   * the holdings that had one; absent in journals of 0.8.0 and before.
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
  /** `code` here and below: absent in journals of 0.7.0 and before. */
  | { kind: 'intentDeferred'; id: string; notBefore: EpochMs; why: string; code?: EndCode | undefined }
  | { kind: 'intentEnded'; id: string; how: IntentEnd; why: string; code?: EndCode | undefined }
  /** A call of a strategy that could not be taken. Journals of 0.8.0 and before have stopped it instead. */
  | ({ kind: 'intentRefused' } & IntentRefusal)
  | { kind: 'syntheticPlaced'; order: SyntheticOrder }
  | { kind: 'syntheticMoved'; id: string; event: SyntheticEvent }
  | { kind: 'syntheticEnded'; id: string; how: SyntheticEnd; why: string }
  | { kind: 'planned'; order: Order }
  /** `request` is the exact bytes of a send or a cancel, kept before the first of them leaves. */
  | { kind: 'order'; id: OrderId; event: OrderEvent; request?: SignedSend }
  | { kind: 'strategyState'; strategyId: string; state: Readonly<Record<string, unknown>> }
  | { kind: 'strategyStopped'; strategyId: string; error: string }
  | { kind: 'strategyStarted'; strategyId: string }
  /** A strategy lost its code with the thread that it shares, and starts again on what it kept. `alone`: who has a thread of its own from then on. */
  | { kind: 'strategyRestarted'; strategyId: string; why: string; alone: string }
  /** A strategy waits until its warm-up is complete: it is shown bars alone. `series`: those that lack bars. */
  | {
      kind: 'warmUpAwaited';
      strategyId: string;
      series: readonly Readonly<{ symbol: string; interval: Interval; needed: number; had: number }>[];
    }
  /** The warm-up of a waiting strategy is complete: it has started. */
  | { kind: 'warmedUp'; strategyId: string }
  /** Fill of the order has been delivered to its strategy. */
  | { kind: 'fillDelivered'; id: OrderId }
  /** `unaccepted`: a start has found it, and sends nothing until an operator has accepted it. */
  | { kind: 'external'; txHash: string; report: OrderReport | null; why: string; unaccepted?: true }
  /** Operator's confirmation that an external order is known and intended. */
  | { kind: 'externalAccepted'; txHash: string; reason: string }
  /** Cancel of an external order, named by an operator. `request` as with an order. */
  | { kind: 'externalCancel'; txHash: string; event: ExternalCancelEvent; request?: SignedSend }
  /**
   * Freeze of a symbol, or a further cause of one. `shown`: the venue's report that caused it, which later readings may show
   * again. `guards`: it stops no sell that protects.
   */
  | { kind: 'frozen'; symbol: Ticker; why: string; shown?: string; guards?: 'buys' }
  /** Written by 0.7.0 and before: the whole run is halted, until `resumed`. Now a restriction. */
  | { kind: 'halted'; why: string }
  /** A command of an operator, kept before anything of it is done. Replays decide again what follows at once. */
  | ({ kind: 'operator' } & OperatorRequest)
  | { kind: 'operatorAnswered'; id: CommandId; answer: OperatorAnswer }
  /** Trading is restricted, or a restriction is lifted. `since` is the time of the entry. */
  | ({ kind: 'restricted' } & Omit<Restriction, 'since'>)
  | ({ kind: 'restrictionLifted' } & Omit<Restriction, 'since' | 'state' | 'command'>)
  /** End of a flatten: nothing is left that it may sell, or another word has ended it. `id`: of its command; `left`: what it left. */
  | { kind: 'flattened'; id: CommandId; why: string; left?: readonly string[] }
  /** Terms of the venue as first seen, or with `reason` as accepted by an operator. A later pin replaces an earlier one. */
  | { kind: 'pinned'; pins: readonly Pin[]; reason?: string }
  /** Highest equity since a limit of drawdown counts, if it has risen or capital has moved it: by strategy, all under ''. */
  | { kind: 'equityPeaks'; peaks: readonly (readonly [string, Cash])[] }
  /** An operator has said that an order in doubt has moved nothing more. */
  | { kind: 'doubtLifted'; id: OrderId }
  /** Fees that a settlement took above all that were known: all of them, in hundredths of a percent of its notional. */
  | { kind: 'feeTaken'; id: OrderId; side: Side; bps: number }
  /** The venue states other terms than are pinned; null when it states those again. */
  | { kind: 'departed'; subject: PinSubject; terms: PinTerms | null }
  /**
   * Operator's commands: release a symbol from all causes, resume, or accept the venue's balance. `shown`: the report that
   * the symbol was frozen over, and is not frozen over again; `alsoShown`: those of its further causes. `over`: the one cause that
   * has ended by itself, while any other stays.
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
  /** A call that the signing rules kept from leaving. `group` would switch it on; null when nothing does. */
  | { kind: 'denied'; method: string; path: string; group: string | null }
  /** Empty transaction signed to replace a waiting one with this nonce. `replaces`: hash of the latter. */
  | { kind: 'nonceCancelled'; nonce: number; replaces: string; request: SignedTransaction }
  /** Amount that the account shows: at the venue, or on the side named by `side`. */
  | {
      kind: 'difference';
      asset: Holding;
      side?: 'wallet' | 'debt' | undefined;
      expected: bigint;
      actual: bigint;
    }
  /** Opening balances of the wallet, cash tokens by address in lower case, as wads. */
  | {
      kind: 'walletOpened';
      tokens: readonly (readonly [Address, bigint])[];
      stocks: readonly (readonly [Ticker, Shares])[];
    }
  /** Opening debts of deferred sells. */
  | { kind: 'debtsOpened'; debts: readonly (readonly [Ticker, Shares])[] }
  /** Split of all shares in the ledger; `intents`: waiting intents with their new terms; `synthetics`: likewise. */
  | {
      kind: 'split';
      action: Split;
      intents: readonly OrderIntent[];
      synthetics?: readonly SyntheticState[];
    }
  /** Right to a dividend, for the shares held at this instant. */
  | ({ kind: 'entitled' } & Entitlement)
  /** Payment of a dividend has arrived. `id`: id of its corporate action. */
  | { kind: 'paid'; id: string }
  /** Payment of a dividend in shares has arrived. */
  | ({ kind: 'paidInTokens' } & TokenPayment)
  /** Worthless shares, booked as a loss of their cost. `value`: at their last price. */
  | { kind: 'writtenOff'; strategyId: string; symbol: Ticker; quantity: Shares; value: Cash; why: string }
  | { kind: 'transferPlanned'; transfer: Transfer }
  /** `request` as with an order. */
  | { kind: 'transfer'; id: TransferId; event: TransferEvent; request?: SignedSend }
  | { kind: 'treasuryStopped'; why: string }
  /** `equity` by strategy, that of all together under the empty one: the day's loss is counted from the open. */
  | {
      kind: 'session';
      change: 'opened' | 'closed';
      date: string;
      equity: readonly (readonly [string, Cash])[];
    }
  /** Start of a trading day at 20:00 of the evening before, where phases outside the session are traded: the day's loss and turnover count from it. */
  | { kind: 'dayBegan'; date: string; equity: readonly (readonly [string, Cash])[] }
  /** The venue refused a market order of the session of `date`, naming another that it is in: its word, `named`. */
  | { kind: 'sessionDoubted'; date: string; named: string }
  /**
   * Strategies act between these two events. `strategies`: their ids, in their order; absent in journals of 0.8.0 and before. `alone`:
   * those that must not share a thread; absent for none.
   */
  | { kind: 'started'; strategies?: readonly string[]; alone?: readonly string[] }
  | { kind: 'stopping' }
  /**
   * Inputs of decisions: kept for replay, not part of the account state except the contract of a stock without a pin.
   * Recorded at the start, and when they change.
   */
  | { kind: 'bar'; bar: Bar; warm: boolean }
  /** Strategies are built again after a split of a stock without bars to show them. */
  | { kind: 'rewarmed'; symbol: Ticker }
  | { kind: 'instruments'; instruments: readonly Instrument[] }
  /**
   * `phase`: phase of the quotes, delivered to strategies that listen to it; null for quotes of an earlier phase, delivered to none.
   * Absent at a start, and in journals of 0.4.0 or before, which delivered all quotes of every phase.
   */
  | { kind: 'quotes'; prices: readonly (readonly [Ticker, Price])[]; phase?: QuotePhase | null }
  /** Prices of tokens that have changed, with the ratios in force; at a start, all that are known. */
  | { kind: 'tokenPrices'; tokens: readonly TokenPrice[] }
  | { kind: 'timer'; strategyId: string; timer: string }
  /** All bars of one instant have been shown, to a run with a strategy that takes them together. */
  | { kind: 'barsShown' }
  /**
   * Dated series as its file had it when the run began, and since the file has changed: how many rows, and their hash. The rows
   * stay in the file.
   */
  | { kind: 'series'; strategyId: string; name: string; rows: number; hash: string }
  /** Text of an address that a strategy asks for, as it came. Without `text` it is the one before. */
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
  /** The state that all entries before this one lead to was kept beside the journal. `hash`: of its text, in this `form`. */
  | { kind: 'checkpoint'; form: string; hash: string }
>;

/** Progress of the cancel of an external order. `txHash`: transaction of the cancel. */
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
/** Kinds of entries that only show prices and texts, and what strategies make of them: most of a journal. */
export const SHOWN_KINDS: ReadonlySet<string> = new Set(SHOWN);
type SaidKind = 'ended' | 'stopping' | 'rewarmed' | 'denied' | 'nonceCancelled' | 'series' | 'logged';
/** Kinds of events that change the account state. */
export type BookedKind = Exclude<JournalEvent['kind'], (typeof SHOWN)[number] | SaidKind | 'checkpoint'>;
export type JournalEventOf<Kind extends JournalEvent['kind']> = Extract<JournalEvent, { kind: Kind }>;

export type JournalEntry = Readonly<{ at: EpochMs; fact: JournalEvent }>;

/** Order that an event is about, for looking up its history. */
export function orderOf(fact: JournalEvent): string | null {
  if (fact.kind === 'order' || fact.kind === 'fillDelivered' || fact.kind === 'doubtLifted') return fact.id;
  return fact.kind === 'planned' ? fact.order.id : null;
}

/** Text that is kept whole, as its bytes: millions of characters are read and hashed as such in a tenth of the time. `read`: null before the first. */
export type SavedText = Readonly<{ read(): Uint8Array | null; write(text: Uint8Array): void }>;

/** Append-only, durable journal. */
export interface Journal {
  /**
   * Durable when it returns. When it throws nothing of the batch is kept, and no effect of it may follow.
   * @throws {JournalError} when the disk does not take it; the same batch may be given again
   * @throws {JournalLostError} when the file that it writes to was removed or replaced
   * @throws {SafetyError} when another process has written since
   */
  commit(batch: readonly JournalEntry[]): void;
  /** Entries in the order of their commits, from a number on. Default: all. */
  entries(from?: number): Iterable<JournalEntry>;
  /** Text of the latest checkpoint, beside the entries. Absent if none is kept. */
  saved?: SavedText;
  /** Number of the last entry; the first is 1. 0 when there is none. */
  length(): number;
  /** Reason why commits may soon fail although they still succeed; null when nothing is wrong. */
  strain?(): string | null;
  /** Reason why entries are no longer kept, such as a removed or replaced file; null while they are. Once set it stays. */
  lost?(): string | null;
  close(): void;
}
