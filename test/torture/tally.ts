import type { OrderCounts } from '../../src/engine/runtime/summary.ts';
import type { Finding } from './judge.ts';
import type { NotificationCounts } from './notificationSide.ts';
import type { SteeringCounts } from './steering.ts';

/** Output of the command. `duplicates`, `lost`, `differences`, `exceeded`, `steering`, `held`, `heldUp`, `notifications.lost`, `unresolved` and `crashes` must be 0. */
export type Report = Readonly<{
  runs: number;
  kills: number;
  ordersAccepted: number;
  duplicates: number;
  lost: number;
  differences: number;
  /** Number of capital or account limits exceeded at some moment. */
  exceeded: number;
  /** Sends that an operator had stopped, and commands carried out or answered otherwise than the journal says. */
  steering: number;
  /** Orders that the bot held, and that were sold twice or too much, or not at all although they were due. */
  held: number;
  /** Daemons that did not end in time because their output was not read; `byFault` counts the runs with `unread-output`. */
  heldUp: number;
  /** Orders not ended at the end. */
  unresolved: number;
  /** Ends of the daemon caused neither by us nor by the venue. */
  crashes: number;
  /** Orders that an operator, having looked at the venue, closed as never placed at a day's end. */
  byHand: number;
  /** Orders still open or unknown at the end, reported and reserved, because of false statements about them. */
  excused: number;
  /** Pauses: SIGSTOP, with SIGCONT or a kill after it. */
  stops: number;
  /** Commands given at the control socket, and what became of them. */
  commands: SteeringCounts;
  /** Messages to a channel that hangs at times. `lost` must be 0, and none may come again once it is marked. */
  notifications: NotificationCounts;
  /** Ends of the daemon by a command. */
  stoppedByHand: number;
  /** Ends of the daemon because the venue did not let it start or continue. */
  refusedStarts: number;
  days: number;
  accounts: number;
  seconds: number;
  /** Number of runs in which each fault was in force. */
  byFault: Readonly<Record<string, number>>;
  /** Number of times that each event of an order held by the bot was met. */
  met: Readonly<Record<string, number>>;
  /** Number of kills that each moment of such orders has met. */
  killedWhile: Readonly<Record<string, number>>;
  orders: OrderCounts | null;
  frozen: number;
  seed: number;
}>;

/** Findings about an account at the end of a day. */
type AccountFigures = Readonly<{
  orders: OrderCounts | null;
  accepted: number;
  frozen: number;
  excused: number;
}>;

/** Counts a campaign. Each finding counts once, however often it is repeated. */
export class Tally {
  runs = 0;
  kills = 0;
  stops = 0;
  days = 0;
  refusedStarts = 0;
  crashes = 0;
  byHand = 0;
  stoppedByHand = 0;
  #commands: SteeringCounts = { given: 0, done: 0, refused: 0, unanswered: 0 };
  #notifications: NotificationCounts = { queued: 0, delivered: 0, twice: 0, lost: 0, hung: 0, whileHung: 0 };
  /** Last state of each account. */
  readonly #figures: AccountFigures[] = [];
  readonly byFault: Record<string, number> = {};
  readonly #met: Record<string, number> = {};
  readonly #killedWhile: Record<string, number> = {};
  readonly findings = new Map<string, Finding>();

  count(names: readonly string[]): void {
    for (const name of names) this.byFault[name] = (this.byFault[name] ?? 0) + 1;
  }

  /** Counts what a kill has met. */
  killed(moments: readonly string[]): void {
    this.kills++;
    for (const moment of new Set(moments)) this.#killedWhile[moment] = (this.#killedWhile[moment] ?? 0) + 1;
  }

  /** Adds the events of one account. */
  meet(counts: Readonly<Record<string, number>>): void {
    for (const [name, count] of Object.entries(counts)) this.#met[name] = (this.#met[name] ?? 0) + count;
  }

  get accounts(): number {
    return this.#figures.length;
  }

  openAccount(): void {
    this.#figures.push({ orders: null, accepted: 0, frozen: 0, excused: 0 });
  }

  /** Replaces the state of the account that was opened last. */
  show(figures: AccountFigures): void {
    this.#figures.splice(-1, 1, figures);
  }

  /** Returns the new ones. */
  add(findings: readonly Finding[]): Finding[] {
    const fresh = findings.filter(({ text }) => !this.findings.has(text));
    for (const finding of fresh) this.findings.set(finding.text, finding);
    return fresh;
  }

  /** Adds the commands of one account. */
  steered({ given, done, refused, unanswered }: SteeringCounts): void {
    const all = this.#commands;
    this.#commands = {
      given: all.given + given,
      done: all.done + done,
      refused: all.refused + refused,
      unanswered: all.unanswered + unanswered,
    };
  }

  /** Adds the messages of one account. */
  notified(counts: NotificationCounts): void {
    const all = this.#notifications;
    this.#notifications = {
      queued: all.queued + counts.queued,
      delivered: all.delivered + counts.delivered,
      twice: all.twice + counts.twice,
      lost: all.lost + counts.lost,
      hung: all.hung + counts.hung,
      whileHung: all.whileHung + counts.whileHung,
    };
  }

  get isSound(): boolean {
    return this.findings.size === 0 && this.crashes === 0;
  }

  report(seed: number, seconds: number): Report {
    const found = (kind: Finding['kind']) =>
      [...this.findings.values()].filter((finding) => finding.kind === kind).length;
    const sum = (of: 'accepted' | 'frozen' | 'excused') =>
      this.#figures.reduce((all, figures) => all + figures[of], 0);
    return {
      runs: this.runs,
      kills: this.kills,
      ordersAccepted: sum('accepted'),
      duplicates: found('duplicate'),
      lost: found('lost'),
      differences: found('difference'),
      exceeded: found('exceeded'),
      steering: found('steering'),
      held: found('held'),
      heldUp: found('heldUp'),
      unresolved: found('unresolved'),
      crashes: this.crashes,
      byHand: this.byHand,
      excused: sum('excused'),
      stops: this.stops,
      commands: this.#commands,
      notifications: this.#notifications,
      stoppedByHand: this.stoppedByHand,
      refusedStarts: this.refusedStarts,
      days: this.days,
      accounts: this.accounts,
      seconds: Math.round(seconds),
      byFault: this.byFault,
      met: this.#met,
      killedWhile: this.#killedWhile,
      orders: this.#figures.map(({ orders }) => orders).reduce(sumOf, null),
      frozen: sum('frozen'),
      seed,
    };
  }
}

function sumOf(all: OrderCounts | null, more: OrderCounts | null): OrderCounts | null {
  if (all === null || more === null) return all ?? more;
  const sums = Object.entries(more).map(([state, count]) => [state, all[state as keyof OrderCounts] + count]);
  return Object.fromEntries(sums) as OrderCounts;
}
