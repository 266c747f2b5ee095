import { expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { parseCash, parsePrice } from '../../../src/core/amount.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { SimulatedBook, type BookStore } from '../../../src/sim/simulatedBook.ts';
import { createSimulatedVenue } from '../../../src/sim/simulatedVenue.ts';
import { decode, encode } from '../../../src/store/codec.ts';
import type { StrategyHooks, StrategyState } from '../../../src/strategy/index.ts';
import { moments } from '../../runs.ts';
import { factsOf } from '../invariants.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const OPENING = parseCash('10000');

/** When a runner is killed: around a commit of its journal, or around a save of the simulated account. */
type Death = Readonly<{ of: 'journal' | 'account'; at: number; how: 'before' | 'after' | 'answer' }>;

/** Saved states of the simulated account on disk. */
class Disk {
  readonly kept = new Map<string, string>();
  saves = 0;
  stage: Stage | null = null;
  #life = 0;

  /** The store as seen by the runner of one life. */
  open(death?: Death): BookStore {
    const dies = death?.of === 'account' ? death : null;
    this.#life++;
    return {
      all: () => [...this.kept].map(([name, text]) => [name, decode(text)] as const),
      save: (changed) => {
        this.saves++;
        const isLast = this.saves === dies?.at;
        if (isLast && dies.how === 'before') this.#die();
        for (const [name, value] of changed) this.kept.set(name, encode(value));
        if (isLast) this.#die();
      },
    };
  }

  get random() {
    return seededRandom(this.#life);
  }

  #die(): never {
    this.stage?.crash();
    throw new Error('this runner was killed');
  }
}

/** Sends each intent once in its life, however often it is restarted. */
const once = (state: StrategyState): StrategyHooks => ({
  onTimer({ order, timer }) {
    if (state[timer] !== undefined) return;
    state[timer] = true;
    if (timer === 'buy') order.buy('AAPL', { notional: '1000' });
    if (timer === 'rest') order.limit('AAPL', { side: 'buy', shares: 5, price: 98 });
    if (timer === 'low') order.limit('MSFT', { side: 'buy', shares: 5, price: 48 });
    if (timer === 'cancel') order.cancel({ symbol: 'MSFT' });
    if (timer === 'sell') order.sell('AAPL', { shares: 3 });
  },
});

const timers = ['buy', 'rest', 'low', 'cancel', 'sell'].map((name, index) => ({
  name,
  at: `10:0${index + 1}`,
}));

function stageOn(disk: Disk, more: Readonly<{ death?: Death; after?: Stage }> = {}): Stage {
  const { death, after } = more;
  const stage = new Stage({
    build: { solo: once },
    data: { quotes: ['AAPL', 'MSFT'], timers },
    rules: { readsChain: true },
    ...(after ? { after } : {}),
    ...(death?.of === 'journal' ? { dies: death } : {}),
    as: (market, clock) =>
      createSimulatedVenue({
        market,
        clock,
        calendar: tradingCalendar,
        slippage: { kind: 'none' },
        chainId: 143,
        book: new SimulatedBook(disk.open(death), { opening: OPENING, now: clock.now() }),
        random: disk.random,
      }),
  });
  disk.stage = stage;
  return stage;
}

/** Ten minutes in which the price falls to the limit of one order and never to the limit of the other. */
async function live(stage: Stage): Promise<void> {
  for (let step = 0; step < 60 && stage.alive; step++) {
    stage.venue.prices.set('AAPL', parsePrice(stage.clock.now() % (2 * MINUTE) < MINUTE ? '100' : '97'));
    await stage.pass(10 * SECOND);
  }
}

async function day(death?: Death): Promise<Readonly<{ stage: Stage; disk: Disk }>> {
  const disk = new Disk();
  let stage = stageOn(disk, death ? { death } : {});
  await stage.play(0);
  await live(stage);
  if (!stage.alive) {
    stage = stageOn(disk, { after: stage });
    await stage.play(0);
    await live(stage);
  }
  return { stage, disk };
}

function expectSound({ stage, disk }: Awaited<ReturnType<typeof day>>, where: string): void {
  const { accountState } = stage.runner.kernel.context;
  const book = new SimulatedBook(disk.open(), { opening: OPENING, now: stage.clock.now() });
  expect(stage.failure, where).toBeNull();
  expect(
    [...accountState.live.values()].map(({ id, state }) => `${id} ${state.kind}`),
    where,
  ).toEqual([]);
  expect([...accountState.external.keys()], where).toEqual([]);
  expect(
    factsOf(stage).filter(({ kind }) => kind === 'difference' || kind === 'frozen'),
    where,
  ).toEqual([]);
  const known = [...accountState.orders.values()].flatMap(({ state }) =>
    'txHash' in state ? state.txHash : [],
  );
  for (const { txHash, status } of book.orders) {
    expect(known, where).toContain(txHash);
    expect(status, where).not.toBe('open');
  }
  for (const asset of accountState.ledger.assets) {
    const actual = asset === 'mUSD' ? book.cash : (book.holdings.get(asset) ?? 0n);
    expect(accountState.ledger.total(asset), `${where}: ${asset}`).toBe(actual);
  }
  expect([stage.venue.sends, stage.venue.cancels], 'the real venue is sent nothing').toEqual([0, 0]);
}

const statesOf = (stage: Stage) =>
  stage.orders.map(({ state }) => (state.kind === 'closed' ? state.how : state.kind)).sort();

test('a dry run fills what the quotes reach and sends the venue nothing', async () => {
  const whole = await day();
  expect(statesOf(whole.stage)).toEqual(['cancelled', 'filled', 'filled', 'filled']);
  expectSound(whole, 'whole');
});

test.each<Pick<Death, 'of' | 'how'>>([
  { of: 'journal', how: 'before' },
  { of: 'journal', how: 'after' },
  { of: 'journal', how: 'answer' },
  { of: 'account', how: 'before' },
  { of: 'account', how: 'after' },
])('a dry run killed $how any write of the $of continues with the same account state', async (kind) => {
  const whole = await day();
  const writes = kind.of === 'journal' ? whole.stage.commits : whole.disk.saves;
  expect(writes).toBeGreaterThan(5);
  for (const at of moments(writes)) {
    const where = `${kind.how} ${kind.of} ${at} of ${writes}`;
    const broken = await day({ ...kind, at }).catch((error: unknown) => error);
    if (broken instanceof Error) {
      expect([broken.message, at, kind.of], where).toEqual(['this runner was killed', 1, 'account']);
      continue;
    }
    expectSound(broken as Awaited<ReturnType<typeof day>>, where);
  }
});
