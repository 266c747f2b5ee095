import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { OperatorAnswer, OperatorCommand } from '../../../src/domain/operator/command.ts';
import type { Venue } from '../../../src/domain/venue.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { FakePulse } from '../fakePulse.ts';
import type { FakeVenue } from '../fakeVenue.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

const AAPL = ticker('AAPL');
const halt: OperatorCommand = { kind: 'trade', state: 'halted', scope: {} };
const resume: OperatorCommand = { kind: 'trade', state: 'active', scope: {} };
const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));

let count = 0;
/** Gives a command during the run; resolves with its answer. */
function give(stage: Stage, command: OperatorCommand) {
  const given: { answer: OperatorAnswer | null } = { answer: null };
  const id = `command-${++count}` as CommandId;
  void stage.runner
    .command({ id, by: 'alice', reason: 'a look around', command })
    .then((answer) => (given.answer = answer));
  return given;
}

async function answerTo(stage: Stage, command: OperatorCommand): Promise<OperatorAnswer | null> {
  const given = give(stage, command);
  await stage.pass(2 * SECOND);
  return given.answer;
}

const kindsOf = (stage: Stage): string[] =>
  [...memoryJournal(stage.lines).entries()].map(({ fact }) => fact.kind);

const running = (options: StageOptions = {}): Promise<Stage> => new Stage(options).play(5 * SECOND);

/** A venue that takes `ms` for an account read. */
const slowAccount =
  (ms: () => number): NonNullable<StageOptions['as']> =>
  (venue, clock) =>
    new Proxy(venue, {
      get(target: FakeVenue, name: keyof Venue) {
        if (name === 'account')
          return async () => {
            const report = await target.account();
            if (ms() > 0) await clock.sleep(ms());
            return report;
          };
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });

const stateOf = (stage: Stage) => stage.runner.kernel.context.accountState;

describe('`resume` during a run', () => {
  test('is refused while ledger and venue differ, and lifts the halt once they agree', async () => {
    const stage = await running();
    expect(await answerTo(stage, resume)).toEqual({
      kind: 'refused',
      because: 'usage',
      text: 'trading is not halted',
    });
    await answerTo(stage, halt);
    stage.venue.cash += parseCash('100');
    expect(await answerTo(stage, resume)).toMatchObject({
      because: 'safety',
      text: expect.stringContaining('mUSD: 100000 in the ledger, 100100 at the venue') as string,
    });
    stage.venue.cash -= parseCash('100');
    expect(await answerTo(stage, resume)).toMatchObject({
      kind: 'done',
      text: 'trading may go on; it was halted: a look around',
    });
    expect(stateOf(stage).trading.ofRun).toBeNull();
    const kinds = kindsOf(stage);
    const lifted = kinds.indexOf('restrictionLifted');
    expect([kinds.lastIndexOf('operator') < lifted, kinds[lifted + 1]]).toEqual([true, 'operatorAnswered']);
  });

  test('lifts exactly its scope and no freeze, and names what stays', async () => {
    const stage = await running();
    await answerTo(stage, halt);
    await answerTo(stage, { kind: 'trade', state: 'reducing', scope: { symbol: AAPL } });
    await answerTo(stage, { kind: 'freeze', symbol: AAPL });
    const answer = await answerTo(stage, resume);
    expect(answer?.text.split('\n')).toEqual([
      'trading may go on; it was halted: a look around',
      'still reducing: AAPL, by alice: a look around',
      'still frozen: AAPL, a look around (alice)',
    ]);
    const { trading, frozen } = stateOf(stage);
    expect([trading.all.map(({ scope }) => scope), frozen.size]).toEqual([[{ symbol: AAPL }], 1]);
    expect(await answerTo(stage, resume)).toMatchObject({
      because: 'usage',
      text: 'trading is not halted. Resume by its own scope what is: reducing: AAPL, by alice: a look around',
    });
  });

  test('is refused while a kill file exists', async () => {
    const stage = await running();
    await answerTo(stage, halt);
    stage.runner.heed({ kind: 'killFiles', there: ['/state/KILL'] });
    expect(await answerTo(stage, resume)).toMatchObject({
      because: 'safety',
      text: 'trading stays halted: the kill file /state/KILL is there. To go on: rm /state/KILL, and resume then',
    });
    stage.runner.heed({ kind: 'killFiles', there: [] });
    expect(await answerTo(stage, resume)).toMatchObject({ kind: 'done' });
  });
});

describe('`accept` during a run', () => {
  test('accepts a difference once, and none remains', async () => {
    const stage = await running();
    expect(await answerTo(stage, { kind: 'accept', asset: 'mUSD' })).toMatchObject({
      because: 'usage',
      text: 'ledger and venue agree on mUSD',
    });
    stage.venue.cash += parseCash('100');
    const shown = await answerTo(stage, { kind: 'accept', asset: 'mUSD', preview: true });
    expect(shown).toMatchObject({ kind: 'done', result: { adopted: false, adoptions: [{ amount: '100' }] } });
    expect(stateOf(stage).ledger.total('mUSD')).toBe(parseCash('100000'));
    const done = await answerTo(stage, { kind: 'accept', asset: 'mUSD' });
    expect(done).toMatchObject({ kind: 'done', result: { adopted: true, for: '' } });
    expect(stateOf(stage).ledger.total('mUSD')).toBe(parseCash('100100'));
    await stage.pass(MINUTE);
    expect([stage.runner.kernel.reconciliation.clean, stage.alarms]).toEqual([true, []]);
  });

  test('refuses an unknown strategy, and takes a missing amount from the named one', async () => {
    const stage = await running();
    stage.venue.cash -= parseCash('100');
    expect(await answerTo(stage, { kind: 'accept', asset: 'mUSD', for: 'other' })).toMatchObject({
      because: 'usage',
      text: 'there is no strategy other in this journal',
    });
    expect(await answerTo(stage, { kind: 'accept', asset: 'mUSD', for: 'solo' })).toMatchObject({
      kind: 'done',
    });
    expect(stateOf(stage).ledger.balance('solo', 'free', 'mUSD')).toBe(parseCash('9900'));
  });

  test('is refused while orders may explain the difference', async () => {
    const stage = await running({ hooks: { solo: buy } });
    stage.venue.cash -= parseCash('1');
    stage.venue.last.shown = false;
    expect(await answerTo(stage, { kind: 'accept', asset: 'AAPL' })).toMatchObject({ because: 'usage' });
    stage.venue.holdings.set('AAPL', 10n ** 18n);
    expect(await answerTo(stage, { kind: 'accept', asset: 'AAPL' })).toMatchObject({
      because: 'safety',
      text: 'orders or transfers under way may explain the difference in AAPL: wait for their end',
    });
  });
});

test('a stock is unfrozen only while ledger and venue agree on it', async () => {
  const stage = await running();
  const unfreeze: OperatorCommand = { kind: 'unfreeze', subject: 'aapl' };
  expect(await answerTo(stage, unfreeze)).toMatchObject({ because: 'usage', text: 'AAPL is not frozen' });
  stage.venue.holdings.set('AAPL', 10n ** 18n);
  await stage.pass(2 * MINUTE);
  expect(stateOf(stage).frozen.get(AAPL)).toBe('ledger and venue differ');
  expect(await answerTo(stage, unfreeze)).toMatchObject({ because: 'safety' });
  expect(await answerTo(stage, { kind: 'accept', asset: 'AAPL' })).toMatchObject({ kind: 'done' });
  expect(await answerTo(stage, unfreeze)).toMatchObject({
    kind: 'done',
    result: { symbol: 'AAPL', why: 'ledger and venue differ', shown: null, released: true },
  });
  expect(stateOf(stage).frozen.size).toBe(0);
});

describe("the account read of an operator's decision", () => {
  test('begins after the command: an earlier read decides nothing', async () => {
    let ms = 0;
    const stage = await running({ as: slowAccount(() => ms) });
    await answerTo(stage, halt);
    ms = 10 * SECOND;
    const first = give(stage, resume);
    await stage.pass(SECOND);
    stage.venue.cash += parseCash('100');
    const second = give(stage, { kind: 'accept', asset: 'mUSD', preview: true });
    await stage.pass(11 * SECOND);
    expect([first.answer?.kind, second.answer]).toEqual(['done', null]);
    await stage.pass(11 * SECOND);
    expect(second.answer).toMatchObject({ kind: 'done', result: { adoptions: [{ amount: '100' }] } });
  });

  test('is repeated when an order has begun during it', async () => {
    let ms = 0;
    const hooks: StrategyHooks = {
      onQuote: ({ order, price }) => price > 100 && order.buy('AAPL', { notional: '1000' }),
    };
    const stage = await running({
      data: { quotes: ['AAPL'] },
      hooks: { solo: hooks },
      as: slowAccount(() => ms),
    });
    ms = 14 * SECOND;
    const given = give(stage, { kind: 'accept', asset: 'mUSD' });
    await stage.pass(SECOND);
    stage.venue.prices.set('AAPL', 101n * 10n ** 18n);
    await stage.pass(14 * SECOND);
    expect([given.answer, stage.states[0]]).toEqual([null, 'working']);
    stage.venue.prices.set('AAPL', 99n * 10n ** 18n);
    await stage.pass(45 * SECOND);
    expect(given.answer).toMatchObject({ because: 'usage', text: 'ledger and venue agree on mUSD' });
  });

  test('is abandoned after five tries during which something moved', async () => {
    const stage = await running();
    await answerTo(stage, halt);
    const { kernel } = stage.runner;
    const now = stage.clock.now();
    const id = 'moving-command' as CommandId;
    kernel.handle({ kind: 'operator', id, by: 'alice', reason: 'x', command: resume }, now);
    const look = { rows: [], report: null, moves: -1 };
    for (let tries = 0; tries < 5; tries++)
      expect(kernel.handle({ kind: 'lookedAtAll', id, asked: now, look }, now).effects).toEqual([
        { kind: 'lookAtAll', id },
      ]);
    expect(kernel.handle({ kind: 'lookedAtAll', id, asked: now, look }, now).answers?.[0]?.answer.text).toBe(
      'orders or transfers moved each time the account was read: nothing was changed, try again',
    );
  });

  test('is refused when the venue cannot be read', async () => {
    const stage = await running();
    await answerTo(stage, halt);
    const unread = {
      kind: 'refused',
      because: 'safety',
      text: 'the venue could not be read completely: nothing was changed, try again',
    };
    stage.venue.readsFail = true;
    expect(await answerTo(stage, resume)).toEqual(unread);
    stage.venue.readsFail = false;
    expect(await answerTo(stage, resume)).toMatchObject({ kind: 'done' });
  });

  test('decides nothing when the program stood still during it', async () => {
    let ms = 0;
    const watchdog = new FakePulse();
    const stage = await running({ as: slowAccount(() => ms), more: { watchdog } });
    await answerTo(stage, halt);
    ms = 3 * SECOND;
    const given = give(stage, resume);
    await stage.pass(SECOND);
    watchdog.gap = { kind: 'stoodStill', ms: 5 * MINUTE };
    await stage.pass(3 * SECOND);
    expect(given.answer).toMatchObject({ kind: 'refused', because: 'safety' });
    expect(stateOf(stage).trading.ofRun?.state).toBe('halted');
  });
});

describe('a start that waits for ledger and venue to agree', () => {
  test('continues by itself once the balance is accepted', async () => {
    const stage = await running();
    await stage.stop();
    const next = new Stage({ after: stage });
    next.venue.cash += parseCash('100');
    await next.play(10 * SECOND);
    expect(next.runner.phase).toBe('starting');
    expect(await answerTo(next, { kind: 'accept', asset: 'mUSD' })).toMatchObject({ kind: 'done' });
    await next.pass(MINUTE);
    expect(next.runner.phase).toBe('running');
  });

  test('continues by itself once the external order is accepted', async () => {
    const stage = await running();
    await stage.stop();
    const next = new Stage({ after: stage });
    const row = next.venue.foreign({
      symbol: AAPL,
      stock: `0x${'1'.repeat(40)}`,
      type: 'limit',
      side: 'buy',
      quantity: 10n ** 18n,
      price: 40n * 10n ** 18n,
    } as never);
    await next.play(10 * SECOND);
    expect(next.runner.phase).toBe('starting');
    expect(await answerTo(next, { kind: 'acceptOrder', txHash: 'no such' })).toMatchObject({
      because: 'usage',
    });
    expect(await answerTo(next, { kind: 'acceptOrder', txHash: row.txHash.toUpperCase() })).toMatchObject({
      kind: 'done',
      result: { accepted: row.txHash, left: [] },
    });
    await next.pass(MINUTE);
    expect(next.runner.phase).toBe('running');
  });
});

test('a journal with operator decisions replays the same', async () => {
  const data = { quotes: ['AAPL'] };
  const hooks: StrategyHooks = {
    onQuote: ({ order, price }) => price > 100 && order.buy('AAPL', { notional: String(price) }),
  };
  const stage = await running({ data, hooks: { solo: hooks } });
  await answerTo(stage, halt);
  stage.venue.prices.set('AAPL', 101n * 10n ** 18n);
  stage.venue.cash += parseCash('100');
  await stage.pass(10 * SECOND);
  await answerTo(stage, resume);
  await answerTo(stage, { kind: 'accept', asset: 'mUSD' });
  await answerTo(stage, resume);
  await answerTo(stage, { kind: 'freeze', symbol: AAPL });
  await answerTo(stage, { kind: 'unfreeze', subject: 'AAPL' });
  stage.venue.prices.set('AAPL', 102n * 10n ** 18n);
  await stage.pass(30 * SECOND);
  expect(stage.orders.length).toBeGreaterThan(0);
  await stage.stop();
  const { calendar, rules, strategies } = new Stage({ data, hooks: { solo: hooks } }).options;
  const entries = [...memoryJournal(stage.lines).entries()];
  const obstacles = { reason: () => null };
  const { parting } = replay(entries, () => new Kernel({ calendar, rules, strategies, obstacles }));
  expect(parting).toBeNull();
});

test('a stock taken over by `accept` is sold by a flatten, and the journal replays the same', async () => {
  const data = { quotes: ['AAPL'] };
  const stage = await running({ data });
  stage.venue.holdings.set(ticker('MSFT'), 2n * 10n ** 18n);
  await stage.pass(MINUTE);
  expect(await answerTo(stage, { kind: 'accept', asset: 'MSFT', for: 'solo' })).toMatchObject({
    kind: 'done',
  });
  expect(await answerTo(stage, { kind: 'unfreeze', subject: 'MSFT' })).toMatchObject({ kind: 'done' });
  await answerTo(stage, { kind: 'flatten', scope: {} });
  await stage.pass(MINUTE);
  expect(stage.orders.map(({ terms }) => [terms.side, terms.symbol])).toEqual([['sell', 'MSFT']]);
  await stage.stop();
  const { calendar, rules, strategies } = new Stage({ data }).options;
  const obstacles = { reason: () => null };
  const entries = [...memoryJournal(stage.lines).entries()];
  expect(replay(entries, () => new Kernel({ calendar, rules, strategies, obstacles })).parting).toBeNull();
});

describe('`resolve` during a run', () => {
  const lost = async (): Promise<Stage> => {
    const stage = new Stage({ hooks: { solo: buy } });
    stage.venue.fates.push('lostBefore');
    return stage.play(5 * SECOND);
  };
  const resolve = (stage: Stage): OperatorCommand => ({ kind: 'resolve', id: stage.orders[0]?.id ?? '' });

  test('closes an unknown order once deadline, lists and balances allow it', async () => {
    const stage = await lost();
    expect(await answerTo(stage, resolve(stage))).toMatchObject({
      because: 'safety',
      text: expect.stringMatching(/is not resolved: its deadline, .*, has not passed by a minute/) as string,
    });
    await stage.pass(4 * MINUTE);
    expect(stage.states).toEqual(['unknown']);
    expect(await answerTo(stage, resolve(stage))).toMatchObject({
      kind: 'done',
      result: { how: 'as never carried out (assumed)', resolved: true },
    });
    expect(stage.states[0]).toBe('neverExisted');
    expect(await answerTo(stage, resolve(stage))).toMatchObject({
      because: 'safety',
      text: expect.stringContaining('is neverExisted: only an order without an answer') as string,
    });
  });

  test('is refused for an order whose response is pending', async () => {
    const stage = new Stage({ hooks: { solo: buy } });
    stage.venue.fates.push('hang');
    await stage.play(5 * SECOND);
    expect(await answerTo(stage, resolve(stage))).toMatchObject({
      because: 'safety',
      text: expect.stringContaining('is sent: its answer is still awaited') as string,
    });
  });

  test('has no later effect when it was refused', async () => {
    const stage = await lost();
    await answerTo(stage, resolve(stage));
    await stage.pass(6 * MINUTE);
    expect(stage.states).toEqual(['unknown']);
  });

  test('is refused for an order that does not exist or is not unknown', async () => {
    const stage = await running({ hooks: { solo: buy } });
    expect(await answerTo(stage, { kind: 'resolve', id: 'solo-9.1' })).toMatchObject({
      because: 'usage',
      text: 'there is no order solo-9.1 in this journal',
    });
    expect(await answerTo(stage, resolve(stage))).toMatchObject({
      because: 'safety',
      text: expect.stringContaining('is working: only an order without an answer') as string,
    });
  });
});
