import type { Session } from '../../calendar/index.ts';
import type { EpochMs, EpochSeconds } from '../../core/brand.ts';
import type { Price } from '../../core/amount.ts';
import type { Pin } from '../../domain/account/pins.ts';
import type { Bar } from '../../domain/bar.ts';
import type { CorporateAction } from '../../domain/corporateAction.ts';
import type { JournalEntry, JournalEventOf } from '../../domain/journalEvent.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type {
  ListedKind,
  TransferId,
  TransferReport,
  TransferTrace,
} from '../../domain/transfers/transfer.ts';
import type { OperatorAnswer, OperatorRequest } from '../../domain/operator/command.ts';
import type { OrderId } from '../../domain/orders/order.ts';
import type { TokenQuote } from '../../domain/premium.ts';
import type {
  Absence,
  AccountReport,
  Listing,
  OrderReport,
  SendOutcome,
  SignedSend,
  UnreadableRow,
  VenueTerms,
} from '../../domain/venue.ts';
import type { SeriesColumns } from '../../market/datedSeries.ts';
import type { Notice } from './notice.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';

/** Reads that are repeated throughout a run. */
export type Question =
  | 'quotes'
  | 'orders'
  | 'account'
  | 'bars'
  | `bars of ${Ticker}`
  | 'corporate actions'
  | 'terms';

export type FreshnessEvent = Readonly<
  /** A read has failed `failures` times in a row. `unauthorized`: the venue refused the key. */
  | { kind: 'unread'; question: Question; failures: number; unauthorized: boolean; why: string }
  /** A read that had failed before has succeeded. */
  | { kind: 'answered'; question: Question }
  /** The venue's clock is ahead of ours by `offsetMs`. */
  | { kind: 'skew'; offsetMs: number }
>;

/** All events of the kernel. The time of an event is that of the call that passes it in. */
export type KernelEvent = Readonly<
  /**
   * `assumptions`: the config's assumptions about the venue's names and words, unless they are the default; `pins`:
   * terms that a person has confirmed and the journal does not pin; `manual`: only orders of operators are sent.
   */
  | {
      kind: 'recovered';
      assumptions?: Readonly<Record<string, unknown>>;
      pins?: readonly Pin[];
      manual?: boolean;
    }
  | { kind: 'opened'; account: AccountReport }
  | { kind: 'listed'; listings: readonly Listing[] }
  | { kind: 'warm'; bars: readonly Bar[] }
  /** `awaited`: ids of strategies that wait for their warm-up. */
  | { kind: 'start'; awaited?: readonly string[] }
  | { kind: 'bars'; bars: readonly Bar[] }
  /** Prices of a stock from sources other than its quotes. A doubted price is confirmed only if all of them are near it. */
  | { kind: 'priceWitness'; symbol: Ticker; prices: readonly Price[] }
  /** Token prices just read, with the ratios that the venue states. */
  | { kind: 'tokenQuotes'; quotes: readonly TokenQuote[] }
  /** Multiplier by which balances of a stock grow, as a wad, according to its token. */
  | { kind: 'multiplier'; symbol: Ticker; multiplier: bigint }
  | { kind: 'session'; change: 'opened' | 'closed'; session: Session }
  | { kind: 'timer'; strategyId: string; timer: string }
  /** The time has come at which an order continues without other news. */
  | { kind: 'due' }
  /** `asked`: time at which the request was sent. The response says nothing about an order that has ended since. */
  | { kind: 'swept'; asked: EpochMs; rows: readonly (OrderReport | UnreadableRow)[]; complete: boolean }
  /** `absence`: null when the chain was not asked or has a trace; undefined when its answer proves nothing. */
  | {
      kind: 'looked';
      asked: EpochMs;
      id: OrderId;
      report: OrderReport | null;
      absence: Absence | null | undefined;
    }
  /** `asked`: time at which the request was sent. */
  | { kind: 'account'; asked: EpochMs; report: AccountReport }
  | { kind: 'delegation'; enabled: boolean; delegatee?: string }
  | { kind: 'terms'; terms: VenueTerms }
  | { kind: 'sent'; id: OrderId; deadline: EpochSeconds; request: SignedSend }
  | { kind: 'placed'; id: OrderId; outcome: SendOutcome }
  | { kind: 'cancelSent'; id: OrderId; deadline: EpochSeconds; request: SignedSend }
  | { kind: 'cancelled'; id: OrderId; outcome: SendOutcome }
  | JournalEventOf<'externalCancel'>
  | { kind: 'operationSent'; id: TransferId; request: SignedSend }
  | { kind: 'operated'; id: TransferId; outcome: SendOutcome }
  | { kind: 'transferTraced'; id: TransferId; trace: TransferTrace }
  | {
      kind: 'transfers';
      transferKind: ListedKind;
      asked: EpochMs;
      rows: readonly (TransferReport | UnreadableRow)[];
      complete: boolean;
    }
  /** An operator's command. It is journaled first; the answer comes with this step, or after a full read of the venue. */
  | ({ kind: 'operator' } & OperatorRequest)
  /**
   * The whole venue was read for a waiting command. `asked`: time at which the first request was sent; `look`: null
   * when a read failed or was incomplete.
   */
  | { kind: 'lookedAtAll'; id: CommandId; asked: EpochMs; look: VenueLook | null }
  /** A kill file was created or removed. `there`: the names of those that exist. */
  | { kind: 'killFiles'; there: readonly string[] }
  | SeriesEvent
  | FetchedEvent
  /** `cancel`: open orders are cancelled, so that none outlives the run. */
  | { kind: 'stop'; cancel?: boolean }
  | { kind: 'ended'; why: string; how: 'in order' | 'at once' | 'crashed' }
  | FreshnessEvent
  | LateEvent
  | ActionEvent
  | WriteOffEvent
>;

/** The file of a dated series has changed. `read`: all of its rows, or why it cannot be read. */
export type SeriesEvent = Readonly<{
  kind: 'series';
  strategyId: string;
  name: string;
  read: Readonly<{ rows: SeriesColumns } | { problem: string }>;
}>;

/** An address was fetched for a strategy. `answer`: its text, or why there is none. */
export type FetchedEvent = Readonly<{
  kind: 'fetched';
  strategyId: string;
  name: string;
  answer: Readonly<{ text: string } | { problem: string }>;
}>;

/** The venue as read for a command: the order list as far back as an open order can be in it, then the account. */
export type VenueLook = Readonly<{
  rows: readonly (OrderReport | UnreadableRow)[];
  /** Null while the ledger is not open. */
  report: AccountReport | null;
  /** Value of `EngineContext.moves` at the read of the account. */
  moves: number;
}>;

/** A response that arrived after its send had timed out. */
export type LateEvent = Readonly<{
  kind: 'late';
  what: 'place' | 'cancel';
  id: OrderId;
  outcome: SendOutcome;
}>;

export type ActionEvent = Readonly<
  /** `asked`: time at which the request was sent. */
  | { kind: 'actions'; asked: EpochMs; actions: readonly CorporateAction[] }
  /** Bars of one stock, read again because a split changed the meaning of its prices. */
  | { kind: 'rewarmed'; symbol: Ticker; bars: readonly Bar[] }
>;

/** A stock written off by an operator, as after a delisting. */
export type WriteOffEvent = Readonly<{ kind: 'writeOff'; symbol: Ticker; why: string }>;

/** Work that the kernel requests from the runtime, carried out only once the journal events of its step are durable. */
export type Effect = Readonly<
  | { kind: 'place'; id: OrderId }
  | { kind: 'cancel'; id: OrderId }
  /** Cancels an external order by its transaction. */
  | { kind: 'cancelExternal'; txHash: string }
  | { kind: 'look'; id: OrderId }
  | { kind: 'operate'; id: TransferId }
  /** Reads the whole venue from now on, for a command that is decided on it. */
  | { kind: 'lookAtAll'; id: CommandId }
  /** Ends the run in order. */
  | { kind: 'stopRun'; why: string; cancel: boolean }
  | ReadRequest
>;

export type VenueEffect = Exclude<Effect, { kind: 'lookAtAll' | 'stopRun' }>;

/** A read that is wanted now: the account, lists of transfers or corporate actions, or a stock's bars or outside price. */
export type ReadRequest = Readonly<
  | { kind: 'readAccount' }
  | { kind: 'readActions' }
  | { kind: 'readTransfers' }
  | { kind: 'rewarm'; symbol: Ticker }
  /** Reads a stock's price from sources other than its quotes. */
  | { kind: 'readWitness'; symbol: Ticker }
>;

/** Outcome of one step. Its journal events are made durable first; only then may notices and effects follow. */
export type Step = Readonly<{
  facts: readonly JournalEntry[];
  effects: readonly Effect[];
  notices: readonly Notice[];
  /** Answers to operators, given once they are in the journal. */
  answers?: readonly CommandAnswer[];
}>;

export type CommandAnswer = Readonly<{ id: CommandId; answer: OperatorAnswer }>;
