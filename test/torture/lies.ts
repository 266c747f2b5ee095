import type { Random } from '../../src/core/random.ts';
import type { FaultRule } from '../../src/emulator/state/faultRules.ts';
import type { Episode } from '../simulation/plan.ts';
import { drawnOf } from '../simulation/switches.ts';
import { markOfTrue, ordersOf, type TrueSides } from './sides.ts';
import type { Submission } from './settings.ts';

/**
 * False statements that a run can meet: a One Click order does not use the node, and the venue never refuses a wallet's
 * own transaction.
 */
const HEARD: Readonly<Record<Submission, readonly Episode[]>> = {
  'one-click': [
    'falseEnds',
    'falseEnds',
    'falseRefusals',
    'falseListings',
    'falseSettlements',
    'falseRows',
    'endlessLists',
  ],
  calldata: [
    'falseEnds',
    'falseReceipts',
    'falseReceipts',
    'falseListings',
    'falseSettlements',
    'falseRows',
    'endlessLists',
  ],
};
/** Share of runs without false statements. */
const HONEST = 0.2;
const LIES_MAX = 2;

/** The false statements of one run, as rules of the fault plan. */
export function drawLies(random: Random, submission: Submission): readonly FaultRule[] {
  if (random.next() < HONEST) return [];
  const upTo = (most: number) => Math.floor(random.next() * most);
  return Array.from({ length: 1 + upTo(LIES_MAX) }, () => HEARD[submission][upTo(HEARD[submission].length)])
    .flatMap((kind) => (kind === undefined ? [] : (drawnOf(kind, submission, random)?.rules ?? [])))
    .map((rule) => rule as FaultRule);
}

/** The name under which a report counts a false statement. */
export const lieName = (rule: FaultRule): string =>
  rule.kind === 'list' && rule.how === 'endless' ? 'endless' : rule.kind;

/** The false statements that were in force on one account. */
export class LiesInForce {
  readonly #listed = new Set<string>();
  readonly #names = new Set<string>();

  add(rules: readonly FaultRule[]): void {
    for (const rule of rules) {
      this.#names.add(lieName(rule));
      if (rule.kind === 'false-listing') this.#listed.add(rule.symbol);
    }
  }

  /** Stocks about which venue or node have made false statements. */
  about(sides: TrueSides): ReadonlySet<string> {
    const { sends, refused, books } = sides.journal;
    const lied = new Set(this.#listed);
    for (const order of ordersOf(sides)) {
      const ids = (sends.get(markOfTrue(order)) ?? []).map(({ id }) => id);
      const isRefused = this.#names.has('false-refusal') && ids.some((id) => refused.has(id));
      if (order.lie !== null || isRefused) lied.add(order.symbol);
    }
    if (!this.#names.has('endless')) return lied;
    const real = new Set<string>(sides.truth.orders.map(({ txHash }) => txHash));
    for (const { txHash, report } of books.external.values())
      if (report?.terms && !real.has(txHash)) lied.add(report.terms.symbol);
    return lied;
  }
}
