import { cash, formatDecimal, shares, type Shares } from '../core/amount.ts';
import { inOperationTime, ownerOfRow } from '../domain/operationRows.ts';
import { UNALLOCATED } from '../domain/ledger.ts';
import {
  isUnseen,
  moveOperation,
  operationHasEnded,
  type Operation,
  type OperationEvent,
  type OperationId,
  type OperationReport,
} from '../domain/operation.ts';
import type { AccountReport, SendOutcome, SignedSend } from '../domain/venue.ts';
import type { Wish } from '../domain/wish.ts';
import { describeOperation } from './describe.ts';
import type { Desk } from './desk.ts';
import type { Obstacles } from './gate.ts';
import type { KernelEvent } from './kernel.ts';
import {
  wantCash,
  wantRepayment,
  wantStock,
  type TreasuryPolicies,
  type TreasurySight,
  type TreasuryWish,
} from './treasuryPolicy.ts';

type Listed = Extract<KernelEvent, { kind: 'operations' }>;

/** How long an operation may stay without an answer before a person is told. */
const GRACE_MS = 600_000;
/** Complete lists without a candidate before a configured grace may close an operation. */
const CLEAN_LISTS = 2;

/** Moves money between wallet and venue as far as the policies say, and follows what became of it. */
export class Treasury {
  readonly #desk: Desk;
  readonly #policies: TreasuryPolicies;
  readonly #obstacles: Obstacles;
  /** The account as the venue last showed it. Null when something has ended since. */
  #latest: AccountReport | null = null;
  readonly #cleanLists = new Map<OperationId, number>();
  readonly #alarmed = new Set<OperationId>();

  constructor(desk: Desk, policies: TreasuryPolicies, obstacles: Obstacles) {
    this.#desk = desk;
    this.#policies = policies;
    this.#obstacles = obstacles;
    desk.onLack = (wish, missing) => this.#help(wish, missing);
  }

  /** Takes wallet and debts into the ledger when they are first seen. */
  open({ holdings, tokens, debts }: AccountReport): void {
    const { opened } = this.#desk.books.operations;
    if (!opened.wallet && tokens) {
      const stocks = [...holdings].map(([symbol, { wallet }]) => [symbol, wallet] as const);
      this.#desk.record({ kind: 'walletOpened', tokens: [...tokens], stocks });
    }
    if (!opened.debts && debts) this.#desk.record({ kind: 'debtsOpened', debts: [...debts] });
  }

  /** Whether what deferred sells owe is worth a question. */
  get wantsDebts(): boolean {
    const { ledger } = this.#desk.books;
    const owes = () => [...ledger.assets].some((asset) => ledger.balance(UNALLOCATED, 'debt', asset) !== 0n);
    return this.#policies.repayDebt !== undefined || owes();
  }

  /** What was on its way when the last run ended: sent without an answer is unknown, planned was never sent. */
  recovered(): void {
    for (const { id, state } of [...this.#book.live.values()]) {
      if (state.kind === 'sent') this.#move(id, { kind: 'lost', reason: 'the runner was restarted' });
      if (state.kind === 'planned')
        this.#move(id, { kind: 'abandoned', reason: 'the runner was restarted before it was sent' });
    }
  }

  account(report: AccountReport): void {
    this.#latest = report;
    for (const operation of [...this.#book.live.values()]) this.#look(operation, report);
    if (this.#against() !== null) return;
    for (const want of [wantCash, wantRepayment]) {
      const sight = this.#sight();
      const wish = sight && want(this.#policies, sight);
      if (wish) this.#plan(wish, UNALLOCATED);
    }
  }

  /** The last check of a send, at the moment its slot is free. */
  permit(id: OperationId): { go: true } | { stop: string } {
    const stop = this.#against();
    if (stop !== null) return { stop };
    const { state } = this.#book.operation(id);
    return state.kind === 'planned' ? { go: true } : { stop: 'it has been sent already' };
  }

  sent(id: OperationId, request: SignedSend): void {
    const hash = 'txHash' in request ? { txHash: request.txHash } : {};
    this.#move(id, { kind: 'sent', at: this.#desk.now, ...hash }, request);
  }

  operated(id: OperationId, outcome: SendOutcome): void {
    const operation = this.#book.operation(id);
    const text = describeOperation(operation);
    switch (outcome.kind) {
      case 'accepted':
        return this.#accepted(operation, outcome.txHash);
      case 'unknown':
        this.#desk.tell('alarm', `${text}: no usable answer (${outcome.reason}), looking`);
        this.#move(id, { kind: 'lost', reason: outcome.reason });
        return;
      case 'refused':
      case 'stopped': {
        this.#desk.tell(outcome.kind === 'refused' ? 'alarm' : 'end', `${text}: not done, ${outcome.reason}`);
        const kind = operation.state.kind === 'planned' ? 'abandoned' : 'refused';
        this.#move(id, { kind, reason: outcome.reason });
      }
    }
  }

  /** An operator vouches that it was never done. */
  resolved(id: OperationId): void {
    this.#move(id, { kind: 'assumedGone' });
  }

  /** A transaction that belongs to another is no answer. */
  #accepted({ id }: Operation, txHash: string): void {
    const other = this.#book.byTx.get(txHash) ?? this.#desk.books.byTx.get(txHash) ?? id;
    if (other === id) return this.#move(id, { kind: 'accepted', txHash });
    const reason = `the venue answered ${id} with a transaction that belongs to ${other}`;
    this.#desk.tell('alarm', reason);
    this.#move(id, { kind: 'lost', reason });
  }

  /** `complete`: the list was read as far back as the oldest operation of its kind that has not ended. */
  listed({ operation: kind, rows, complete, asked }: Listed): void {
    for (const row of rows) if (!('unreadable' in row)) this.#row(row, asked);
    if (!complete) return;
    for (const operation of this.#book.live.values()) {
      if (operation.terms.kind !== kind || !isUnseen(operation)) continue;
      const mayBe = rows.some(
        (row) =>
          !('unreadable' in row) && !this.#book.byTx.has(row.txHash) && inOperationTime(operation, row),
      );
      this.#cleanLists.set(operation.id, mayBe ? 0 : (this.#cleanLists.get(operation.id) ?? 0) + 1);
    }
  }

  #row(report: OperationReport, asked: number): void {
    const whose = ownerOfRow(report, this.#book.all.values());
    if (whose.kind === 'ambiguous')
      return this.#stop(`the venue's operation ${report.txHash} could be any of ${whose.ids.join(', ')}`);
    if (whose.kind === 'none') return;
    if ((this.#book.endedAt.get(whose.id) ?? -Infinity) >= asked) return;
    if (whose.kind === 'found') {
      this.#desk.tell('info', `operation ${whose.id} was found at the venue: its answer had been lost`);
      this.#move(whose.id, { kind: 'accepted', txHash: report.txHash });
    }
    this.#move(whose.id, { kind: 'reported', report });
  }

  /** A repayment shows in debt and wallet alone. What has no answer for long is told, and closed where the config says so. */
  #look(operation: Operation, { debts, holdings }: AccountReport): void {
    const { id, terms, seen } = operation;
    if (!isUnseen(operation)) return;
    if (terms.kind === 'repay' && seen && debts) {
      const debt = debts.get(terms.symbol) ?? 0n;
      const wallet = holdings.get(terms.symbol)?.wallet ?? 0n;
      if (seen.debt - debt === terms.amount && seen.wallet - wallet === terms.amount)
        return this.#move(id, { kind: 'shown' });
      const isClean = debt === seen.debt && wallet === seen.wallet;
      this.#cleanLists.set(id, isClean ? (this.#cleanLists.get(id) ?? 0) + 1 : 0);
    }
    this.#lookAfter(operation);
  }

  #lookAfter(operation: Operation): void {
    const { id, state, terms } = operation;
    const age = 'at' in state ? this.#desk.now - state.at : 0;
    const takesIn = terms.kind !== 'cashWithdrawal' && terms.kind !== 'stockWithdrawal';
    const isClean = (this.#cleanLists.get(id) ?? 0) >= CLEAN_LISTS;
    if (takesIn && isClean && age > (this.#desk.rules.assumeGoneAfterMs ?? Infinity)) {
      this.#desk.tell('alarm', `${describeOperation(operation)} is taken for never done, without proof`);
      this.#move(id, { kind: 'assumedGone' });
    } else if (age > GRACE_MS && !this.#alarmed.has(id)) {
      this.#alarmed.add(id);
      this.#desk.tell(
        'alarm',
        `${describeOperation(operation)} (${id}) is still without an answer: look for it at the venue`,
      );
    }
  }

  /** Whether a sell that lacks stock is to wait for it. */
  #help(wish: Wish, missing: Shares): boolean {
    if (this.#policies.stockForSells === undefined || missing <= 0n) return false;
    const moving = [...this.#book.live.values()].filter(({ terms }) => terms.kind === 'stockDeposit');
    if (moving.some(({ cause, state }) => cause === wish.id || state.kind !== 'unknown')) return true;
    if (this.#against() !== null) return false;
    const sight = this.#sight();
    if (!sight) return true;
    const wanted = wantStock(this.#policies, { wish: wish.id, symbol: wish.symbol, missing }, sight);
    if (wanted) this.#plan(wanted, wish.owner);
    return wanted !== null;
  }

  #plan({ cause, terms, value, seen }: TreasuryWish, owner: string): void {
    const id = `op-${this.#book.all.size + 1}` as OperationId;
    const operation: Operation = {
      ...{ id, terms, owner, cause, value, plannedAt: this.#desk.now, state: { kind: 'planned' } },
      ...(seen ? { seen } : {}),
    };
    this.#desk.record({ kind: 'operationPlanned', operation });
    this.#desk.tell('account', `${describeOperation(operation)}: ${cause}`);
    this.#desk.ask({ kind: 'operate', id });
  }

  /** Why nothing is to be begun now, or null. */
  #against(): string | null {
    const { books, delegated } = this.#desk;
    const outside = this.#obstacles.reason('place');
    if (outside !== null) return outside;
    if (this.#book.stopped !== null) return `the treasury has stopped: ${this.#book.stopped}`;
    if (!this.#book.opened.wallet) return 'the wallet has not been read yet';
    if (books.halted !== null) return `trading is halted: ${books.halted}`;
    return delegated ? null : 'One Click is off: enable it with "drover oneclick enable"';
  }

  #sight(): TreasurySight | null {
    const { books, market, now } = this.#desk;
    if (!this.#latest?.tokens) return null;
    const { cash: shown, holdings, tokens, debts = new Map() } = this.#latest;
    const owners = [UNALLOCATED, ...books.allocations.keys()];
    const free = owners.reduce((sum, owner) => sum + books.ledger.balance(owner, 'free', 'mUSD'), 0n);
    return {
      now,
      freeCash: cash(shown > free ? shown : free),
      tokens,
      stocks: new Map([...holdings].map(([symbol, { wallet }]) => [symbol, shares(wallet)])),
      debts,
      priceOf: (symbol) => market.price(symbol),
      addressOf: (symbol) => market.instruments.get(symbol)?.address ?? null,
      operations: [...this.#book.all.values()],
      endedAt: ({ id }) => this.#book.endedAt.get(id),
    };
  }

  #move(id: OperationId, event: OperationEvent, request?: SignedSend): void {
    const result = moveOperation(this.#book.operation(id), event);
    if (result.kind === 'stale') return;
    if (result.kind === 'illegal') return this.#stop(`operation ${id}: ${result.rule}`);
    this.#desk.record({ kind: 'operation', id, event, ...(request ? { request } : {}) });
    if (result.alarm !== undefined) this.#stop(`operation ${id}: ${result.alarm}`);
    const { operation } = result;
    if (operationHasEnded(operation)) this.#latest = null;
    this.#narrate(operation);
  }

  #narrate(operation: Operation): void {
    const { state } = operation;
    const text = describeOperation(operation);
    if (state.kind === 'sent') this.#desk.tell('sent', text);
    if (state.kind === 'settled')
      this.#desk.tell('account', `${text}: done, ${formatDecimal(state.received)} received`);
    if (state.kind === 'failed') this.#desk.tell('alarm', `${text}: failed on chain`);
  }

  #stop(why: string): void {
    if (this.#book.stopped !== null) return;
    this.#desk.record({ kind: 'treasuryStopped', why });
    this.#desk.tell('alarm', `the treasury has stopped: ${why}`);
  }

  get #book() {
    return this.#desk.books.operations;
  }
}
