import { cash, formatDecimal, magnitude, notionalOf, price, shares, type Cash } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { compareAccount, type Mismatch } from '../../domain/account/comparison.ts';
import { isNearly, isSmall } from '../../domain/account/dust.ts';
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
import type { AccountReport, VenueStatus } from '../../domain/venue.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { KernelEvent } from '../state/kernelEvent.ts';

type Amount = Readonly<{ asset: Holding; amount: bigint }>;

/** A finished transfer or order fill made outside this bot, with the amounts it brought to the venue and to the wallet. */
type Move = Readonly<{
  rule: Exclude<keyof ExternalRules, 'orders'>;
  what: string;
  txHash: string;
  createdAt: EpochMs;
  /** `value`: worth in mUSD, if the venue states it. */
  venue: readonly (Amount & Readonly<{ value?: Cash }>)[];
  wallet: Amount | null;
}>;

const KINDS = ['cashDeposit', 'cashWithdrawal', 'stockDeposit', 'stockWithdrawal'] as const;
const RULES = {
  cashDeposit: { rule: 'deposits', word: 'deposit' },
  cashWithdrawal: { rule: 'withdrawals', word: 'withdrawal' },
  stockDeposit: { rule: 'stockMoves', word: 'stock deposit' },
  stockWithdrawal: { rule: 'stockMoves', word: 'stock withdrawal' },
} as const;

/** Minimum time in ms between two reads of the lists for a difference they have not explained. */
const READ_AGAIN_MS = 60_000;

/**
 * Deposits, withdrawals, stock moves and fills that the owner made outside this bot. If the config accepts them, a
 * difference is booked once the venue's own list shows a finished transfer or an ended order of the same amounts, apart
 * from dust. Each transaction is booked once, and a difference without one never is.
 */
export class ExternalMoves {
  readonly #context: EngineContext;
  /** Finished external transfers by kind, as last listed. */
  readonly #moves = new Map<ListedKind, readonly Move[]>();
  #readAt: EpochMs | null = null;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  get kinds(): readonly ListedKind[] {
    const { external } = this.#context.rules;
    return external ? KINDS.filter((kind) => external[RULES[kind].rule] !== null) : [];
  }

  /** Applies a list from the venue. Rows that are unfinished, or may belong to this journal, are not external. */
  listed({ transferKind, rows }: Extract<KernelEvent, { kind: 'transfers' }>): void {
    if (!this.kinds.includes(transferKind)) return;
    const moves = rows.flatMap((row) => ('unreadable' in row ? [] : (this.#moveOf(transferKind, row) ?? [])));
    // A list that shifts while it is read shows a row twice.
    this.#moves.set(transferKind, [...new Map(moves.map((move) => [move.txHash, move])).values()]);
  }

  /** Books the differences of an account that the lists prove, and requests the lists if any are left. */
  account(report: AccountReport): void {
    const { rules, accountState } = this.#context;
    const hasFills = rules.external?.fills != null;
    if ((this.kinds.length === 0 && !hasFills) || accountState.opened === null) return;
    const differing = compareAccount(accountState, report);
    if (differing.length === 0) return;
    const gaps = new Map(differing.map((mismatch) => [keyOf(mismatch), mismatch.actual - mismatch.expected]));
    const moves = [...this.#moves.values()].flat().concat(hasFills ? this.#fills() : []);
    moves.sort((a, b) => a.createdAt - b.createdAt);
    for (const asset of new Set(differing.flatMap(({ side, asset }) => (side === 'venue' ? [asset] : []))))
      for (const move of this.#proving(asset, moves, gaps)) this.#book(move, gaps);
    const { now } = this.#context;
    if (this.kinds.length === 0 || (this.#readAt !== null && now - this.#readAt < READ_AGAIN_MS)) return;
    if (compareAccount(accountState, report).every(isSmall)) return;
    this.#readAt = now;
    this.#context.ask({ kind: 'readTransfers' });
  }

  /** Transfers that explain the difference of an asset at the venue, apart from dust: all new ones, or a single one. */
  #proving(asset: Holding, moves: readonly Move[], gaps: Gaps): readonly Move[] {
    const fresh = moves.filter((move) => touches(move, asset) && this.#isNew(move));
    for (const fits of [isExact, isNearly]) {
      if (explains(fresh, gaps, fits)) return fresh;
      const alike = fresh.filter((move) => explains([move], gaps, fits));
      if (alike.length > 0) return alike.length === 1 ? alike : [];
    }
    return [];
  }

  /** True for an unbooked transfer made since the journal opened and since its assets were last accepted without proof. */
  #isNew({ txHash, createdAt, venue }: Move): boolean {
    const { acceptances, opened } = this.#context.accountState;
    if (acceptances.proofs.has(txHash)) return false;
    const unproven = venue.map(({ asset }) => acceptances.unprovenAt.get(asset) ?? -Infinity);
    return createdAt > Math.max(opened?.at ?? Infinity, ...unproven);
  }

  /** Books a transfer at the venue, and in the wallet if the wallet differs by exactly that amount. */
  #book({ rule, what, txHash, venue, wallet }: Move, gaps: Gaps): void {
    const { rules, accountState } = this.#context;
    const strategyId = rules.external?.[rule] ?? UNALLOCATED;
    const balance = (asset: Holding) => accountState.ledger.balance(strategyId, 'free', asset);
    if (!this.#isKnown(strategyId) || venue.some(({ asset, amount }) => balance(asset) + amount < 0n)) return;
    const text = `${what} by another hand (${txHash})`;
    const booked = (acceptance: Acceptance) =>
      ({ kind: 'balanceAccepted', ...acceptance, reason: text, txHash }) as const;
    for (const { value, ...moved } of venue) {
      const atVenue = booked({ side: 'venue', ...moved, strategyId, value: value ?? this.#valueOf(moved) });
      if (isTicker(moved.asset)) this.#context.recordBringing(moved.asset, atVenue);
      else this.#context.record(atVenue);
    }
    const inWallet = wallet && (gaps.get(keyOf({ side: 'wallet', asset: wallet.asset })) ?? 0n);
    if (wallet && inWallet !== null && isNearly(wallet.asset, inWallet, wallet.amount))
      this.#context.record(booked({ side: 'wallet', ...wallet, strategyId: UNALLOCATED, value: cash(0n) }));
    const owner = strategyId === UNALLOCATED ? 'unallocated' : strategyId;
    this.#context.notify('account', `accepted by a rule of the config, for ${owner}: ${text}`);
  }

  #isKnown(strategyId: StrategyId): boolean {
    return strategyId === UNALLOCATED || this.#context.accountState.allocations.has(strategyId);
  }

  #valueOf({ asset, amount }: Amount) {
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
    const { rule, word } = RULES[kind];
    return {
      rule,
      what: `${word} of ${formatDecimal(magnitude(atVenue))} ${inside}`,
      txHash: txHash.toLowerCase(),
      createdAt,
      venue: [{ asset: inside, amount: atVenue }],
      wallet: { asset: outside, amount: inWallet },
    };
  }

  /** Fills of ended external orders, at the amounts the venue settled: mUSD amounts include fees. */
  #fills(): Move[] {
    return [...this.#context.accountState.externals.all.values()].flatMap(({ report }) => {
      if (!report?.terms || !report.settlement || report.terms.deferred || !ENDED.has(report.status))
        return [];
      const { txHash, createdAt, settlement, terms } = report;
      const { pay, receive } = settlement;
      if (receive === 0n) return [];
      const isBuy = terms.side === 'buy';
      const [quantity, money] = isBuy ? [receive, -pay] : [-pay, receive];
      const done = isBuy ? 'purchase' : 'sale';
      const amounts = `${formatDecimal(magnitude(quantity))} ${terms.symbol} for ${formatDecimal(magnitude(money))} mUSD`;
      const venue = [
        { asset: 'mUSD', amount: money } as const,
        { asset: terms.symbol, amount: quantity, value: cash(-money) },
      ];
      const what = `${done} of ${amounts}`;
      return [{ rule: 'fills', what, txHash: txHash.toLowerCase(), createdAt, venue, wallet: null }];
    });
  }

  #symbolOf(token: string): Ticker | null {
    const { instruments } = this.#context.market;
    for (const { symbol, address } of instruments.values()) if (sameAddress(address, token)) return symbol;
    return null;
  }
}

/** Differences by side and asset. */
type Gaps = ReadonlyMap<string, bigint>;

const ENDED: ReadonlySet<VenueStatus> = new Set(['filled', 'cancelled', 'expired']);

const touches = ({ venue }: Move, asset: Holding): boolean => venue.some((moved) => moved.asset === asset);

const isExact: typeof isNearly = (_asset, gap, amount) => gap === amount;

/** True when the transfers together equal the differences of every asset they move at the venue. */
function explains(moves: readonly Move[], gaps: Gaps, fits: typeof isNearly): boolean {
  const sums = new Map<Holding, bigint>();
  for (const { asset, amount } of moves.flatMap(({ venue }) => venue))
    sums.set(asset, (sums.get(asset) ?? 0n) + amount);
  const gapOf = (asset: Holding) => gaps.get(keyOf({ side: 'venue', asset })) ?? 0n;
  return sums.size > 0 && [...sums].every(([asset, sum]) => fits(asset, gapOf(asset), sum));
}

const keyOf = ({ side, asset }: Readonly<Pick<Mismatch, 'asset'> & { side: Side }>): string =>
  `${side} ${asset}`;
