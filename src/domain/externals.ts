import type { Fact } from './fact.ts';
import type { OrderReport } from './venue.ts';

/** An order on the key that no strategy of this journal has placed, as it was seen last. */
export type External = Readonly<{ txHash: string; report: OrderReport | null; why: string }>;

type ExternalFact = Extract<Fact, { kind: 'external' | 'externalAccepted' }>;
type Seen = Extract<ExternalFact, { kind: 'external' }>;

/** Orders on the key that are not of this journal. */
export class Externals {
  /** By transaction. */
  readonly all = new Map<string, External>();
  /** External orders found at a start that no operator has accepted yet, by transaction: until then no start sends anything. */
  readonly unaccepted = new Map<string, External>();

  apply(fact: ExternalFact): void {
    if (fact.kind === 'external') this.#note(fact);
    else this.unaccepted.delete(fact.txHash);
  }

  /** Takes in what is seen of one. An open one that ends without a fill has moved nothing, and needs no word any more. */
  #note(seen: Seen): void {
    const { txHash, report, why } = seen;
    const isFirst = !this.all.has(txHash);
    this.all.set(txHash, seen);
    if (isFirst ? seen.unaccepted === true : this.unaccepted.has(txHash)) this.unaccepted.set(txHash, seen);
    if (!isFirst && why === 'ended' && !hasFilled(report)) this.unaccepted.delete(txHash);
  }
}

const hasFilled = (report: OrderReport | null): boolean =>
  report === null || (report.settlement !== null && report.settlement.receive > 0n);
