import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shares } from '../../../src/core/amount.ts';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import type { SendFate } from '../fakeVenue.ts';
import { runs } from '../../runs.ts';
import { expectSound, factsOf, settleAll } from '../invariants.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

type Wish = (context: HookContext) => void;
type Step = Readonly<
  | { kind: 'wish'; wish: Wish; name: string }
  | { kind: 'fate'; fate: SendFate }
  | { kind: 'cancelFate'; fate: SendFate }
  | { kind: 'fill'; part: number }
  | { kind: 'expire' }
  | { kind: 'hide' }
  | { kind: 'show' }
  | { kind: 'kill' }
  | { kind: 'killFile' }
  | { kind: 'wait'; seconds: number }
>;

const intents: Record<string, Wish> = {
  buy: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
  buyShares: ({ order }) => void order.buy('MSFT', { shares: 7 }),
  sell: ({ order }) => void order.sell('AAPL', { all: true }),
  sellPart: ({ order }) => void order.sell('AAPL', { shares: 1.5 }),
  rest: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 5, price: 95 }),
  restSell: ({ order }) => void order.limit('AAPL', { side: 'sell', shares: 2, price: 105 }),
  standing: ({ order }) =>
    void order.limit('MSFT', { side: 'buy', shares: 4, price: 48, goodTill: 'cancelled' }),
  all: ({ order }) => order.target('AAPL', { weight: 0.8 }),
  none: ({ order }) => order.target('AAPL', { weight: 0 }),
  mix: ({ order }) => order.rebalance({ AAPL: 0.3, MSFT: 0.5 }),
  mixBack: ({ order }) => order.rebalance({ AAPL: 0.6, MSFT: 0 }),
  cancel: ({ order }) => order.cancel({}),
};

const fate = fc.constantFrom<SendFate>('accept', 'lostAfter', 'lostBefore', 'refuse');
const cancelFate = fc.constantFrom<SendFate>('accept', 'lostAfter', 'lostBefore', 'refuse', 'late');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(...Object.entries(intents))
      .map(([name, intent]) => ({ kind: 'wish' as const, name, wish: intent })),
  },
  { weight: 3, arbitrary: fate.map((one) => ({ kind: 'fate' as const, fate: one })) },
  { weight: 2, arbitrary: cancelFate.map((one) => ({ kind: 'cancelFate' as const, fate: one })) },
  { weight: 4, arbitrary: fc.constantFrom(0.25, 1, 1).map((part) => ({ kind: 'fill' as const, part })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Step>(
      { kind: 'expire' },
      { kind: 'hide' },
      { kind: 'show' },
      { kind: 'kill' },
      { kind: 'killFile' },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(1, 7, 30, 200).map((seconds) => ({ kind: 'wait' as const, seconds })),
  },
);

/** A scripted day: what the strategy orders, the fate of its orders, and the kills of the runner. */
class Day {
  readonly told: string[] = [];
  #wanted: Wish[] = [];
  #ticks = 0;
  stage: Stage;
  readonly #hooks: StrategyHooks = {
    onQuote: (context) => {
      for (const intent of this.#wanted.splice(0)) intent(context);
    },
    onFill: ({ fill }) => void this.told.push(fill.orderId),
  };

  constructor() {
    this.stage = new Stage(this.#options());
  }

  #options() {
    return { hooks: { solo: this.#hooks }, rules: { assumeGoneAfterMs: 4 * MINUTE } };
  }

  async play(steps: readonly Step[]): Promise<void> {
    await this.stage.play(SECOND);
    for (const one of steps) await this.#do(one);
    this.#wanted = [];
    this.stage.killed = false;
  }

  async #do(one: Step): Promise<void> {
    const { venue } = this.stage;
    const open = venue.rows.filter(({ status }) => status === 'open');
    switch (one.kind) {
      case 'wish':
        this.#wanted.push(one.wish);
        venue.prices.set('AAPL', BigInt(100_00 + (++this.#ticks % 2)) * 10n ** 16n);
        await this.stage.pass(6 * SECOND);
        return;
      case 'fate':
        return void venue.fates.push(one.fate);
      case 'cancelFate':
        return void venue.cancelFates.push(one.fate);
      case 'fill':
        for (const row of open.slice(0, 1)) this.#fill(row, one.part);
        return;
      case 'expire':
        for (const row of open.slice(0, 1)) venue.end(row, 'expired');
        return;
      case 'hide':
        venue.indexed = false;
        return;
      case 'show':
        venue.indexed = true;
        for (const row of venue.rows) row.shown = true;
        return;
      case 'kill':
        this.stage = new Stage({ ...this.#options(), after: this.stage });
        await this.stage.play(SECOND);
        return;
      case 'killFile':
        this.stage.killed = !this.stage.killed;
        return;
      case 'wait':
        await this.stage.pass(one.seconds * SECOND);
        return;
    }
  }

  #fill(row: Stage['venue']['last'], part: number): void {
    const { venue } = this.stage;
    const { order } = row;
    if (part === 1 || !('quantity' in order)) return venue.fill(row);
    venue.fill(row, 'cancelled', shares(order.quantity / 4n));
  }
}

/** Expects no problem if the venue hides nothing. */
function expectQuiet({ runner }: Stage): void {
  const { differences, frozen } = runner.kernel.context.accountState;
  expect(differences).toEqual([]);
  expect([...frozen]).toEqual([]);
}

test('a run through any faults sends nothing twice, finds every order, agrees to the digit, notifies each fill once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const day = new Day();
      await day.play(steps);
      await settleAll(day.stage, 2 * MINUTE);
      // Orders that waited for an unanswered one are sent once that is closed, one after the other.
      const { live } = day.stage.runner.kernel.context.accountState;
      for (let round = 0; round < 20 && (round === 0 || live.size > 0); round++)
        await settleAll(day.stage, 10 * MINUTE);
      expectSound(day.stage);
      if (!steps.some(({ kind }) => kind === 'hide')) expectQuiet(day.stage);
      const moved = day.stage.orders.filter(
        ({ state }) => state.kind === 'closed' && (state.settlement?.receive ?? 0n) > 0n,
      );
      expect(day.told.length, 'each fill is told once').toBe(moved.length);
      expect(day.stage.venue.rows.length).toBeLessThanOrEqual(day.stage.venue.sends);
      const cancels = factsOf(day.stage).filter(
        (fact) => fact.kind === 'order' && fact.event.kind === 'cancelSent',
      );
      expect(day.stage.venue.cancels).toBeLessThanOrEqual(cancels.length);
    }),
    { numRuns: runs(Number(process.env['RUNS'] ?? 60)) },
  );
}, 600_000);
