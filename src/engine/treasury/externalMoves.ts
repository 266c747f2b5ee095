import { cash, formatDecimal, magnitude, notionalOf, price, shares } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { compareAccount, type Mismatch } from '../../domain/account/comparison.ts';
import {
  UNALLOCATED,
  type Holding,
  type StrategyId,
  type Side,
  type Acceptance,
} from '../../domain/account/ledger.ts';
import { isTicker, sameAddress, type Address, type Ticker } from '../../domain/instrument.ts';
import type { ExternalRules } from '../../domain/limits.ts';
import {
  isUnseen,
  transferTxHash,
  type ListedKind,
  type TransferReport,
} from '../../domain/transfers/transfer.ts';
import { ownerOfRow } from '../../domain/transfers/transferBook.ts';
import type { AccountReport } from '../../domain/venue.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { KernelEvent } from '../state/kernelEvent.ts';

type TransferList = Extract<KernelEvent, { kind: 'transfers' }>;

/** A finished transfer of another hand, by its row: what it has brought to the venue, and to the wallet. */
type Move = Readonly<{
  kind: ListedKind;
  txHash: string;
  createdAt: EpochMs;
  venue: Readonly<{ asset: Holding; amount: bigint }>;
  wallet: Readonly<{ asset: Holding; amount: bigint }>;
}>;

const KINDS = ['cashDeposit', 'cashWithdrawal', 'stockDeposit', 'stockWithdrawal'] as const;
const WORDS = {
  cashDeposit: 'deposit',
  cashWithdrawal: 'withdrawal',
  stockDeposit: 'stock deposit',
  stockWithdrawal: 'stock withdrawal',
} as const;

/** Least time in ms between two reads of the lists for a difference that they have not explained. */
const READ_AGAIN_MS = 60_000;

/**
 * Deposits, withdrawals and stock moves of the owner's own hand. Where the config accepts them, a difference is booked when the
 * venue's own list names a finished transfer of exactly this amount: each transaction once, and never a bare difference.
 */
export class ExternalMoves {
  readonly #context: EngineContext;
  /** Finished transfers of others, by kind, as last listed. */
  readonly #moves = new Map<ListedKind, readonly Move[]>();
  #readAt: EpochMs | null = null;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Kinds of transfers that are accepted. */
  get kinds(): readonly ListedKind[] {
    const { external } = this.#context.rules;
    return external ? KINDS.filter((kind) => ownerIn(external, kind) !== null) : [];
  }

  /** Takes a list of the venue. A row that is not finished, or may be of this journal, is none of another hand. */
  listed({ transferKind, rows }: TransferList): void {
    if (!this.kinds.includes(transferKind)) return;
    const moves = rows.flatMap((row) => ('unreadable' in row ? [] : (this.#moveOf(transferKind, row) ?? [])));
    // A list that moves while it is read shows a row twice.
    this.#moves.set(transferKind, [...new Map(moves.map((move) => [move.txHash, move])).values()]);
  }

  /** Books what the lists prove of the differences of an account, and asks for the lists where some are left. */
  account(report: AccountReport): void {
    if (this.kinds.length === 0 || this.#context.accountState.opened === null) return;
    const differing = compareAccount(this.#context.accountState, report);
    if (differing.length === 0) return;
    const gaps = new Map(differing.map((mismatch) => [keyOf(mismatch), mismatch.actual - mismatch.expected]));
    for (const asset of new Set(differing.flatMap(({ side, asset }) => (side === 'venue' ? [asset] : []))))
      for (const move of this.#proving(asset, gaps)) this.#book(move, gaps);
    const { now } = this.#context;
    if (this.#readAt !== null && now - this.#readAt < READ_AGAIN_MS) return;
    if (compareAccount(this.#context.accountState, report).length === 0) return;
    this.#readAt = now;
    this.#context.ask({ kind: 'readTransfers' });
  }

  /** Moves that explain the difference of an asset at the venue to the last digit: all that are new, or one of them. */
  #proving(asset: Holding, gaps: ReadonlyMap<string, bigint>): readonly Move[] {
    const gap = gaps.get(keyOf({ side: 'venue', asset }));
    const fresh = [...this.#moves.values()]
      .flat()
      .filter((move) => move.venue.asset === asset && this.#isNew(move));
    if (fresh.reduce((sum, { venue }) => sum + venue.amount, 0n) === gap) return fresh;
    const alike = fresh.filter(({ venue }) => venue.amount === gap);
    return alike.length === 1 ? alike : [];
  }

  /** True for a transfer that no entry of the journal has booked, made since any balance was accepted without proof. */
  #isNew({ txHash, createdAt, venue: { asset } }: Move): boolean {
    const { acceptances, opened } = this.#context.accountState;
    if (acceptances.proofs.has(txHash)) return false;
    const since = Math.max(opened?.at ?? Infinity, acceptances.unprovenAt.get(asset) ?? -Infinity);
    return createdAt > since;
  }

  /** Books a move at the venue, and in the wallet where that differs by exactly it. */
  #book({ kind, txHash, venue, wallet }: Move, gaps: ReadonlyMap<string, bigint>): void {
    const { rules, accountState } = this.#context;
    const strategyId = (rules.external && ownerIn(rules.external, kind)) ?? UNALLOCATED;
    const free = accountState.ledger.balance(strategyId, 'free', venue.asset);
    if (free + venue.amount < 0n || !this.#isKnown(strategyId)) return;
    const text = `${WORDS[kind]} of ${formatDecimal(magnitude(venue.amount))} ${venue.asset} by another hand (${txHash})`;
    const booked = (acceptance: Acceptance) =>
      ({ kind: 'balanceAccepted', ...acceptance, reason: text, txHash }) as const;
    const atVenue = booked({ side: 'venue', ...venue, strategyId, value: this.#valueOf(venue) });
    if (isTicker(venue.asset)) this.#context.recordBringing(venue.asset, atVenue);
    else this.#context.record(atVenue);
    if (gaps.get(keyOf({ side: 'wallet', asset: wallet.asset })) === wallet.amount)
      this.#context.record(booked({ side: 'wallet', ...wallet, strategyId: UNALLOCATED, value: cash(0n) }));
    const whose = strategyId === UNALLOCATED ? 'unallocated' : strategyId;
    this.#context.notify('account', `accepted by the rule of the config, for ${whose}: ${text}`);
  }

  #isKnown(strategyId: StrategyId): boolean {
    return strategyId === UNALLOCATED || this.#context.accountState.allocations.has(strategyId);
  }

  #valueOf({ asset, amount }: Move['venue']) {
    if (asset === 'mUSD') return cash(amount);
    return notionalOf(shares(amount), this.#context.market.price(asset as Ticker) ?? price(0n), 'down');
  }

  #moveOf(kind: ListedKind, row: TransferReport): Move | null {
    const { txHash, createdAt, moved, status } = row;
    const { accountState } = this.#context;
    const { transfers } = accountState;
    if (status !== 'success' || !moved || accountState.byTx.has(txHash)) return null;
    const mayBeOurs = [...transfers.live.values()].some(
      (transfer) => transfer.terms.kind === kind && isUnseen(transfer) && transferTxHash(transfer) === null,
    );
    if (mayBeOurs || ownerOfRow(row, transfers.all.values()).kind !== 'none') return null;
    const received = moved.received ?? moved.amount;
    const isStock = kind === 'stockDeposit' || kind === 'stockWithdrawal';
    const outside = isStock ? this.#symbolOf(moved.token) : (moved.token.toLowerCase() as Address);
    if (outside === null) return null;
    const inside: Holding = isStock ? outside : 'mUSD';
    const [atVenue, inWallet] =
      kind === 'cashDeposit' || kind === 'stockDeposit'
        ? [received, -moved.amount]
        : [-moved.amount, received];
    return {
      kind,
      txHash: txHash.toLowerCase(),
      createdAt,
      venue: { asset: inside, amount: atVenue },
      wallet: { asset: outside, amount: inWallet },
    };
  }

  #symbolOf(token: string): Ticker | null {
    const { instruments } = this.#context.market;
    for (const { symbol, address } of instruments.values()) if (sameAddress(address, token)) return symbol;
    return null;
  }
}

/** Owner that accepted transfers of a kind are booked to; null where they raise an alarm. */
function ownerIn(rules: ExternalRules, kind: ListedKind): StrategyId | null {
  if (kind === 'cashDeposit') return rules.deposits;
  return kind === 'cashWithdrawal' ? rules.withdrawals : rules.stockMoves;
}

const keyOf = ({ side, asset }: Readonly<Pick<Mismatch, 'asset'> & { side: Side }>): string =>
  `${side} ${asset}`;
