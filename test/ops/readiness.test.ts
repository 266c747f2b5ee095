import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { Health } from '../../src/ops/health.ts';
import type { Readiness } from '../../src/ops/readiness.ts';
import { give } from '../engine/operator/commands.ts';
import { MINUTE, MORNING, SECOND, Stage, type StageOptions } from '../engine/stage.ts';
import { bracketed, held, price, sells } from '../engine/synthetic/play.ts';
import { NONE, readinessOf } from './metricsOf.ts';

const AAPL = ticker('AAPL');

/** A run on a stage with its readiness, checked every second. */
class Watched {
  readonly stage: Stage;
  readonly #readiness: Readiness;
  health: Health;

  constructor(stage: Stage) {
    this.stage = stage;
    this.#readiness = readinessOf(stage);
    this.health = this.#readiness.look(stage.clock.now());
  }

  async pass(ms: number): Promise<Health> {
    for (let left = ms; left > 0; left -= SECOND) {
      await this.stage.pass(SECOND);
      this.health = this.#readiness.look(this.stage.clock.now());
    }
    return this.health;
  }
}

const stopped = async (options: StageOptions = {}): Promise<Watched> =>
  new Watched(await held((order) => void order.stop('AAPL', { shares: 10, stop: 95 }), {}, options));

const WELL = { ready: true, canSend: { ok: true, why: [] }, canProtect: { ok: true, why: [] } };
const unprotected = (why: unknown) => ({ ok: false, why: [{ strategy: 'solo', symbol: 'AAPL', why }] });

describe('a run that holds a stop order', () => {
  test('can send and protect by day and by night, and while its stock is not traded', async () => {
    const watched = await stopped();
    expect(watched.health).toMatchObject(WELL);
    watched.stage.venue.haltedAt.set('AAPL', watched.stage.clock.now());
    expect(await watched.pass(20 * MINUTE)).toMatchObject(WELL);
    await watched.stage.pass(10 * 60 * MINUTE);
    expect(await watched.pass(2 * MINUTE)).toMatchObject(WELL);
  });

  test('is not ready once One Click has been off for a minute, and is a minute after it is on again', async () => {
    const watched = await stopped();
    watched.stage.venue.delegationOn = false;
    await watched.stage.pass(30 * SECOND);
    expect(await watched.pass(59 * SECOND)).toMatchObject(WELL);
    expect(await watched.pass(2 * SECOND)).toMatchObject({
      ready: false,
      canSend: { ok: false, why: ['One Click is off at the venue'] },
      canProtect: unprotected('One Click is off'),
    });
    expect(watched.health.checks.filter(({ ok }) => !ok)).toEqual([
      { name: 'send', ok: false, why: 'One Click is off at the venue' },
      { name: 'protect', ok: false, why: 'AAPL of solo is not protected: One Click is off' },
    ]);
    watched.stage.venue.delegationOn = true;
    await watched.stage.pass(30 * SECOND);
    expect(await watched.pass(58 * SECOND)).toMatchObject({ ready: false });
    expect(await watched.pass(5 * SECOND)).toMatchObject(WELL);
  });

  test('stays ready through failures shorter than a minute', async () => {
    const watched = await stopped();
    for (let time = 0; time < 5; time++) {
      watched.stage.venue.delegationOn = false;
      expect(await watched.pass(40 * SECOND)).toMatchObject(WELL);
      watched.stage.venue.delegationOn = true;
      expect(await watched.pass(40 * SECOND)).toMatchObject(WELL);
    }
  });

  test('is ready while an operator has halted it, and says so', async () => {
    const watched = await stopped();
    await give(watched.stage, { kind: 'trade', scope: {}, state: 'halted' });
    expect(await watched.pass(5 * SECOND)).toMatchObject({
      ready: true,
      canSend: { ok: false, why: [expect.stringMatching(/^trading is halted/)] },
      canProtect: unprotected(expect.stringMatching(/^trading is halted/)),
    });
  });

  test('cannot protect while its stock is frozen or unlisted, or its shares are gone', async () => {
    const frozen = await stopped();
    frozen.stage.runner.kernel.context.freeze(AAPL, 'a rumour (ann)');
    expect((await frozen.pass(2 * MINUTE)).canProtect).toEqual(unprotected('AAPL is frozen: a rumour (ann)'));
    const delisted = await stopped();
    delisted.stage.venue.prices.delete('AAPL');
    expect((await delisted.pass(5 * MINUTE)).canProtect).toEqual(
      unprotected(expect.stringMatching(/^AAPL has been missing from the venue's prices for \d+ s$/)),
    );
    const robbed = await stopped();
    robbed.stage.venue.holdings.set('AAPL', parseShares('4'));
    expect((await robbed.pass(3 * MINUTE)).canProtect).toEqual(
      unprotected('the venue does not show all of its shares of AAPL'),
    );
  });

  test.each([
    ['of the morning', MORNING - 60 * MINUTE],
    ['in seconds', MORNING / 1_000],
  ])(
    'cannot protect while the price of its stock changes under a time from before the open, %s',
    async (...[, at]) => {
      const watched = await stopped();
      const { venue } = watched.stage;
      venue.haltedAt.set('AAPL', epochMs(at));
      expect((await watched.pass(3 * MINUTE)).canProtect.ok).toBe(true);
      venue.prices.set('AAPL', parseCash('94'));
      expect((await watched.pass(3 * MINUTE)).canProtect).toEqual(
        unprotected(
          expect.stringMatching(/^the price of AAPL changes, and the venue dates it before the open/),
        ),
      );
    },
  );

  test('cannot protect while the prices of all stocks stand still', async () => {
    const watched = await stopped();
    const now = watched.stage.clock.now();
    for (const symbol of ['AAPL', 'MSFT']) watched.stage.venue.haltedAt.set(symbol, now);
    expect((await watched.pass(4 * MINUTE)).canProtect).toEqual(
      unprotected(expect.stringMatching(/^prices stand still: the newest price of any stock is \d+ s old$/)),
    );
  });

  test('counts the shares that its own take-profit locks', async () => {
    const oco = { limit: { all: true, price: 110 }, stop: { stop: 95 } } as const;
    const watched = new Watched(await held((order) => void order.oco('AAPL', oco)));
    expect(sells(watched.stage)).toEqual(['limit 10 working']);
    expect(await watched.pass(3 * MINUTE)).toMatchObject(WELL);
  });

  test('says at once that a touched stop is not sold', async () => {
    const watched = await stopped();
    watched.stage.runner.kernel.context.freeze(AAPL, 'a rumour (ann)');
    await price(watched.stage, '90', 10 * SECOND);
    expect(await watched.pass(SECOND)).toMatchObject({
      ready: false,
      canProtect: unprotected('its stop was touched, and it cannot be sold: AAPL is frozen: a rumour (ann)'),
    });
  });

  test('is healthy while its sale is under way', async () => {
    const watched = await stopped();
    await price(watched.stage, '90', 10 * SECOND);
    expect(sells(watched.stage)).toEqual(['market 10 working']);
    expect(await watched.pass(3 * MINUTE)).toMatchObject(WELL);
  });
});

test('a bracket whose entry the venue does not show protects nothing', async () => {
  const watched = new Watched(
    await bracketed(
      { entry: { shares: 10 }, stopLoss: { percent: 5 } },
      { as: (venue) => ((venue.indexed = false), venue) },
    ),
  );
  expect((await watched.pass(3 * MINUTE)).canProtect).toEqual(
    unprotected(expect.stringMatching(/^the venue has not shown the end of its entry solo-2\.1/)),
  );
});

test('a start is ready as soon as every check passes, and a run that has lost its disk is not', async () => {
  const stage = await new Stage().play(10 * SECOND);
  expect(readinessOf(stage).look(stage.clock.now())).toMatchObject(WELL);
  const lost = readinessOf(stage, { ...NONE, journal: 'the disk is full' });
  expect(lost.look(stage.clock.now())).toMatchObject({
    ready: false,
    canSend: { why: ['the disk is full'] },
  });
});
