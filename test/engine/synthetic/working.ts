import { formatDecimal, toNumber, type Shares } from '../../../src/core/amount.ts';
import { exactShares, filledOf, hasEnded } from '../../../src/domain/orders/order.ts';
import type { WorkTerms } from '../../../src/strategy/index.ts';
import { atStart, SECOND, type Stage, type StageOptions } from '../stage.ts';
import type { Row } from '../fakeVenue.ts';

/** A strategy that places one working order at its first start, kept over restarts. */
export const working = (
  terms: WorkTerms,
  { symbol = 'AAPL', ...more }: StageOptions & Readonly<{ symbol?: string }> = {},
): StageOptions => ({
  build: {
    solo: (state) =>
      atStart((order) => {
        if (state['asked'] !== true) order.work(symbol, terms);
        state['asked'] = true;
      }),
  },
  ...more,
});

/** Part of an order that the venue fills; null leaves it open. */
export type Filling = (row: Row, index: number) => Shares | 'all' | null;

export const whole: Filling = () => 'all';

/** Lets time pass in steps of 5 s, and fills orders at the venue. */
export async function playing(stage: Stage, ms: number, filling: Filling = whole): Promise<Stage> {
  for (let passed = 0; passed < ms && stage.alive; passed += 5 * SECOND) {
    await stage.pass(5 * SECOND);
    stage.venue.rows.forEach((row, index) => {
      const part = row.status === 'open' ? filling(row, index) : null;
      if (part !== null) stage.venue.fill(row, 'filled', part === 'all' ? undefined : part);
    });
  }
  return stage;
}

/** Minutes after the first at which the orders of a stage were planned, with their sizes and ends. */
export const slices = (stage: Stage): string[] =>
  stage.orders.map(({ plannedAt, terms, state }, _, [first]) => {
    const minutes = (plannedAt - (first?.plannedAt ?? 0)) / 60_000;
    const size = exactShares(terms) ?? 0n;
    return `${minutes.toFixed(1)} ${terms.side} ${formatDecimal(size)} ${state.kind}`;
  });

/** Shares traded according to the venue. */
export const tradedAtVenue = ({ venue }: Stage): number =>
  venue.rows.reduce(
    (sum, { settlement, order }) =>
      sum + toNumber(settlement ? (order.side === 'buy' ? settlement.receive : settlement.pay) : 0n),
    0,
  );

/** Shares traded according to the journal. */
export const tradedInJournal = (stage: Stage): number =>
  stage.orders.reduce((sum, order) => sum + (hasEnded(order) ? toNumber(filledOf(order)) : 0), 0);
