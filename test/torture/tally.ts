import type { OrderCounts } from '../../src/engine/summary.ts';
import type { Finding } from './judge.ts';

/** What the command prints. `duplicates`, `lost` and `differences` must be 0, and so must `unresolved` and `crashes`. */
export type Report = Readonly<{
  runs: number;
  kills: number;
  ordersAccepted: number;
  duplicates: number;
  lost: number;
  differences: number;
  /** Orders that had not ended when all was over. */
  unresolved: number;
  /** Ends of the daemon that are neither ours nor the venue's doing. */
  crashes: number;
  /** Orders that a person who had looked at the venue closed as never placed, at a day's end. */
  byHand: number;
  /** SIGSTOP, with SIGCONT or a kill after it. */
  stops: number;
  /** Ends of the daemon because the venue did not let it start, or go on. */
  refusedStarts: number;
  days: number;
  seconds: number;
  /** Runs in which each fault was in force. */
  byFault: Readonly<Record<string, number>>;
  orders: OrderCounts | null;
  frozen: number;
  seed: number;
}>;

/** Counts a campaign. Each finding counts once, however often it is found again. */
export class Tally {
  runs = 0;
  kills = 0;
  stops = 0;
  days = 0;
  refusedStarts = 0;
  crashes = 0;
  byHand = 0;
  frozen = 0;
  ordersAccepted = 0;
  orders: OrderCounts | null = null;
  readonly byFault: Record<string, number> = {};
  readonly findings = new Map<string, Finding>();

  count(names: readonly string[]): void {
    for (const name of names) this.byFault[name] = (this.byFault[name] ?? 0) + 1;
  }

  /** Gives back those that are new. */
  add(findings: readonly Finding[]): Finding[] {
    const fresh = findings.filter(({ text }) => !this.findings.has(text));
    for (const finding of fresh) this.findings.set(finding.text, finding);
    return fresh;
  }

  get isSound(): boolean {
    return this.findings.size === 0 && this.crashes === 0;
  }

  report(seed: number, seconds: number): Report {
    const found = (kind: Finding['kind']) =>
      [...this.findings.values()].filter((finding) => finding.kind === kind).length;
    return {
      ...{ runs: this.runs, kills: this.kills, ordersAccepted: this.ordersAccepted },
      ...{ duplicates: found('duplicate'), lost: found('lost'), differences: found('difference') },
      ...{ unresolved: found('unresolved'), crashes: this.crashes },
      ...{ byHand: this.byHand, stops: this.stops, refusedStarts: this.refusedStarts, days: this.days },
      ...{ seconds: Math.round(seconds), byFault: this.byFault, orders: this.orders },
      ...{ frozen: this.frozen, seed },
    };
  }
}
