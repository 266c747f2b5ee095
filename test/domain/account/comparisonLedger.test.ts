import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cash, shares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import { compareAccount } from '../../../src/domain/account/comparison.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import {
  DEBT,
  OUTSIDE,
  QUEUED_IN,
  QUEUED_OUT,
  UNALLOCATED,
  WALLET,
  type Bucket,
  type Holding,
} from '../../../src/domain/account/ledger.ts';
import {
  isUnseen,
  moveTransfer,
  transferHasEnded,
  type Transfer,
  type TransferEvent,
  type TransferTerms,
} from '../../../src/domain/transfers/transfer.ts';
import type { AccountReport } from '../../../src/domain/venue.ts';
import { decode, encode } from '../../../src/store/codec.ts';
import { anOperation, opId, termsOf, USDC } from '../operations.ts';
import { AAPL, MSFT, SENT } from '../orders.ts';
import { runs } from '../../runs.ts';

const HOLDINGS: Holding[] = ['mUSD', AAPL, MSFT, USDC];
const OWNERS = [UNALLOCATED, 'alpha'];
const BUCKETS: Bucket[] = [
  'free',
  'reserved',
  'owed',
  'venue',
  'wallet',
  'queuedIn',
  'queuedOut',
  'debt',
  'outside',
];
const KINDS = ['cashDeposit', 'cashWithdrawal', 'stockDeposit', 'stockWithdrawal', 'repay'] as const;

const balances = ({ ledger }: AccountState) =>
  OWNERS.flatMap((strategyId) =>
    BUCKETS.flatMap((bucket) => HOLDINGS.map((asset) => ledger.balance(strategyId, bucket, asset))),
  );

const opening: JournalEvent[] = [
  {
    kind: 'opened',
    cash: cash(1_000n),
    holdings: [
      [AAPL, shares(500n)],
      [MSFT, shares(50n)],
    ],
    equity: cash(0n),
  },
  { kind: 'walletOpened', tokens: [[USDC, 800n]], stocks: [[AAPL, shares(300n)]] },
  { kind: 'debtsOpened', debts: [[AAPL, shares(200n)]] },
  { kind: 'allocated', strategyId: 'alpha', amount: cash(400n) },
];

/** True balances at the venue and in the wallet: changed only by mined and settled transactions, whatever the runner knows. */
class Truth {
  cash = 1_000n;
  exchange = 500n;
  tokens = 800n;
  wallet = 300n;
  debt = 200n;
  readonly #mined = new Set<string>();

  mine({ id, terms: { kind, amount } }: Transfer): void {
    if (this.#mined.has(id)) return;
    this.#mined.add(id);
    if (kind === 'cashDeposit') this.tokens -= amount;
    if (kind === 'cashWithdrawal') this.cash -= amount;
    if (kind === 'stockDeposit' || kind === 'repay') this.wallet -= amount;
    if (kind === 'stockWithdrawal') this.exchange -= amount;
  }

  settle({ terms: { kind, amount } }: Transfer): void {
    if (kind === 'cashDeposit') this.cash += amount;
    if (kind === 'cashWithdrawal') this.tokens += amount;
    if (kind === 'stockDeposit') this.exchange += amount;
    if (kind === 'stockWithdrawal') this.wallet += amount;
    if (kind === 'repay') this.debt -= amount;
  }

  get report(): AccountReport {
    return {
      cash: cash(this.cash),
      holdings: new Map([
        [AAPL, { exchange: shares(this.exchange), wallet: shares(this.wallet) }],
        [MSFT, { exchange: shares(50n), wallet: shares(0n) }],
      ]),
      tokens: new Map([[USDC, this.tokens]]),
      debts: new Map([[AAPL, shares(this.debt)]]),
    };
  }
}

type Check = (life: Life, before: bigint[], fact: JournalEvent) => void;

/** A random but possible life of many transfers, with a check after each event. */
class Life {
  readonly books = new AccountState();
  readonly truth = new Truth();
  readonly facts: JournalEvent[] = [];

  readonly #check: Check;

  constructor(check: Check) {
    this.#check = check;
    for (const fact of opening) this.add(fact);
  }

  add(fact: JournalEvent): void {
    const before = balances(this.books);
    this.books.apply({ at: epochMs(SENT + this.facts.length), fact: decode(encode(fact)) as JournalEvent });
    this.facts.push(fact);
    this.#check(this, before, fact);
  }

  step([what, which, size]: readonly [number, number, number]): void {
    const all = [...this.books.transfers.all.values()];
    const operation = all[which % (all.length + 1)];
    if (operation) return this.#move(operation, what);
    const amount = BigInt(1 + (size % 120));
    const terms = termsOf(KINDS[what % KINDS.length] ?? 'repay', amount);
    if (amount > this.#most(terms)) return;
    const strategyId = terms.kind === 'stockDeposit' && size % 2 === 0 ? 'alpha' : UNALLOCATED;
    const id = opId(all.length + 1);
    this.add({ kind: 'transferPlanned', transfer: anOperation({ id, terms, strategyId, value: cash(7n) }) });
  }

  /** Largest amount that the venue would let a transfer take. */
  #most({ kind }: TransferTerms): bigint {
    const { ledger } = this.books;
    if (kind === 'cashDeposit') return ledger.at(WALLET, USDC);
    if (kind === 'cashWithdrawal') return ledger.balance(UNALLOCATED, 'free', 'mUSD');
    if (kind === 'stockWithdrawal') return ledger.balance(UNALLOCATED, 'free', AAPL);
    const wallet = ledger.at(WALLET, AAPL);
    const debt = -ledger.at(DEBT, AAPL) - ledger.at(QUEUED_IN, AAPL);
    return kind === 'repay' && debt < wallet ? debt : wallet;
  }

  #move(operation: Transfer, what: number): void {
    const { id, state, terms } = operation;
    const txHash = `0x${id}`;
    const { amount, token } = terms;
    const report = (status: 'processing' | 'success' | 'failed'): TransferEvent => ({
      kind: 'reported',
      report: {
        txHash,
        status,
        rawStatus: status,
        createdAt: SENT,
        moved: { token, amount, received: amount },
      },
    });
    const choices: TransferEvent[] = [
      { kind: 'sent', at: SENT },
      { kind: 'accepted', txHash },
      { kind: 'lost', reason: 'reset' },
      { kind: 'refused', reason: 'no' },
      { kind: 'abandoned', reason: 'restart' },
      { kind: 'assumedGone' },
      report('processing'),
      report('success'),
      report('failed'),
      { kind: 'shown' },
    ];
    const event = choices[what % choices.length];
    if (!event || moveTransfer(operation, event).kind !== 'moved') return;
    // A transfer assumed gone was never sent in this world, so it does not turn up; a processing one does not fail.
    if (state.kind === 'neverExisted' || (state.kind === 'processing' && event === choices[8])) return;
    if (event === choices[6]) this.truth.mine(operation);
    if (event === choices[7] || event === choices[9]) {
      this.truth.mine(operation);
      this.truth.settle(operation);
    }
    this.add({ kind: 'transfer', id, event });
  }
}

const steps = fc.array(fc.tuple(fc.nat(1_000), fc.nat(12), fc.nat(1_000)), { minLength: 5, maxLength: 80 });
const lives = (check: Check, after: (life: Life) => void = () => undefined) =>
  fc.assert(
    fc.property(steps, (all) => {
      const life = new Life(check);
      for (const step of all) life.step(step);
      after(life);
    }),
    { numRuns: runs(300) },
  );

describe('the ledger of the whole account', () => {
  test('sums to zero in each asset, with no usable or queued balance below zero', () => {
    lives(({ books: { ledger } }) => {
      for (const asset of HOLDINGS) {
        const all = OWNERS.flatMap((strategyId) =>
          BUCKETS.map((bucket) => ledger.balance(strategyId, bucket, asset)),
        );
        expect(all.reduce((sum, one) => sum + one, 0n)).toBe(0n);
        for (const strategyId of OWNERS)
          for (const bucket of ['free', 'reserved', 'queuedIn', 'queuedOut'] as const)
            expect(ledger.balance(strategyId, bucket, asset)).toBeGreaterThanOrEqual(0n);
      }
    });
  });

  test('moves when a transfer is planned or ends, and on no other transfer event', () => {
    lives((life, before, fact) => {
      if (fact.kind !== 'transfer' && fact.kind !== 'transferPlanned') return;
      const moved = balances(life.books).some((balance, index) => balance !== before[index]);
      const id = fact.kind === 'transfer' ? fact.id : fact.transfer.id;
      const isEnd = transferHasEnded(life.books.transfers.of(id));
      expect(moved).toBe(fact.kind === 'transferPlanned' || isEnd);
    });
  });

  test('holds as queued exactly what live transfers have taken', () => {
    lives(({ books: { ledger, transfers: operations } }) => {
      for (const asset of HOLDINGS) {
        const live = [...operations.live.values()].filter(({ terms }) =>
          'symbol' in terms
            ? terms.symbol === asset
            : asset === (terms.kind === 'cashDeposit' ? USDC : 'mUSD'),
        );
        const bound = live.reduce((sum, { terms }) => sum + terms.amount, 0n);
        expect(ledger.at(QUEUED_IN, asset) + ledger.at(QUEUED_OUT, asset)).toBe(bound);
      }
    });
  });

  test('agrees to the last digit with a faithful venue after each journal event', () => {
    lives(
      ({ books, truth }) => {
        if (!books.transfers.opened.debts) return;
        expect(compareAccount(books, truth.report)).toEqual([]);
      },
      ({ books, truth }) => {
        // Mined without our knowledge: explained only by transfers under way.
        for (const operation of books.transfers.live.values())
          if (isUnseen(operation) && operation.terms.kind !== 'repay') truth.mine(operation);
        expect(compareAccount(books, truth.report).every(({ explainable }) => explainable)).toBe(true);
        truth.tokens -= 1n;
        truth.wallet += 1_000n;
        truth.debt += 1n;
        const found = compareAccount(books, truth.report).filter(({ explainable }) => !explainable);
        expect(found.map(({ side, asset }) => `${asset} ${side}`)).toEqual(
          expect.arrayContaining([`${AAPL} wallet`, `${AAPL} debt`]),
        );
      },
    );
  });

  test('books stock that arrived for a strategy at its value on arrival', () => {
    const life = new Life(() => undefined);
    life.add({
      kind: 'session',
      change: 'opened',
      date: '2026-06-15',
      equity: [
        ['', cash(400n)],
        ['alpha', cash(400n)],
      ],
    });
    const operation = anOperation({
      terms: termsOf('stockDeposit', 10n),
      strategyId: 'alpha',
      value: cash(70n),
    });
    life.add({ kind: 'transferPlanned', transfer: operation });
    for (const event of [{ kind: 'sent', at: SENT }, { kind: 'shown' }] as const)
      life.add({ kind: 'transfer', id: operation.id, event });
    const { ledger, positions, dayStart } = life.books;
    expect(ledger.held('alpha', AAPL)).toBe(10n);
    expect(positions.of('alpha', AAPL)).toEqual({ quantity: 10n, cost: 70n, realised: 0n });
    expect([dayStart?.get('alpha'), dayStart?.get('')]).toEqual([470n, 470n]);
    expect(ledger.at(OUTSIDE, AAPL)).toBe(-(300n - 10n) + 200n);
  });
});
