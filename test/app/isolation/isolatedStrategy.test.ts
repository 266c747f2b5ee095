/** @module-tag heavy */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { factsOf } from '../../engine/invariants.ts';
import { SECOND, Stage } from '../../engine/stage.ts';
import { isolated, sourceOf, type Given } from './isolated.ts';

/** Quotes after which a strategy counts as still running. */
const TRIES = 300;

/** Buys at each quote; nothing that runs next to it may stop it. */
const CALM = sourceOf('{ onQuote: ({ order, symbol }) => void order.buy(symbol, { notional: 100 }) }');

async function playBeside(source: string, given: Given = {}) {
  const strategies = [await isolated('tried', source, given), await isolated('calm', CALM)];
  const stage = await new Stage({ more: { strategies } }).play(SECOND);
  const { stopped } = stage.runner.kernel.context.accountState;
  for (let price = 101; price <= 103 || (stopped.size === 0 && price < TRIES); price++) {
    stage.venue.prices.set('AAPL', BigInt(100 + (price % 3)) * 10n ** 18n);
    await stage.pass(6 * SECOND);
    // A thread's own activity takes real time.
    if (price > 103) await setTimeout(50);
  }
  const summary = await stage.stop();
  return { stage, summary, stopped };
}

const stoppedWith = async (source: string, given: Given = {}) => {
  const { stopped, summary, stage } = await playBeside(source, given);
  expect([...stopped.keys()]).toEqual(['tried']);
  expect(factsOf(stage).filter(({ kind }) => kind === 'strategyStopped')).toHaveLength(1);
  expect(summary.strategies.map(({ state }) => state)).toEqual(['stopped', 'running']);
  expect(stage.orders.filter(({ strategyId: owner }) => owner === 'calm').length).toBeGreaterThan(0);
  return stopped.get('tried') ?? '';
};

describe('an isolated strategy is stopped, and the other one trades on, when it', () => {
  test.each([
    [
      'never returns from a hook',
      '{ onQuote() { for (;;); } }',
      'onQuote did not end within 0.5 s (isolation.hookSeconds)',
    ],
    [
      'never returns from a hook in which it keeps ordering',
      "{ onQuote({ order }) { for (;;) try { order.buy('AAPL', { notional: 1 }); } catch {} } }",
      'onQuote did not end within 0.5 s',
    ],
    [
      'backtracks endlessly in a regular expression',
      "{ onQuote() { /^(a+)+$/.test('a'.repeat(50) + 'b'); } }",
      'did not end within',
    ],
    [
      'allocates memory endlessly',
      '{ onQuote() { const all = []; for (;;) all.push({ at: all.length }); } }',
      'more than 256 MB',
    ],
    [
      'fills a map endlessly',
      '{ onQuote() { const all = new Map(); for (let at = 0; ; at++) all.set(at, at); } }',
      'more than 256 MB',
    ],
    [
      'allocates memory outside its heap',
      '{ onQuote() { const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1)); } }',
      'more than 256 MB',
    ],
    [
      'allocates memory in promises that never settle',
      '{ onStart() { void (async () => { const all = []; for (;;) all.push(await new Uint8Array(1e7).fill(1)); })(); } }',
      'more than 256 MB',
    ],
    ['throws', "{ onQuote() { throw new Error('of its own'); } }", 'of its own'],
    ['throws a value that is not an Error', '{ onQuote() { throw { odd: true }; } }', '[object Object]'],
    ['throws undefined', '{ onQuote() { throw undefined; } }', 'undefined'],
    [
      'throws an object that cannot be read',
      '{ onQuote() { throw { toString() { throw 1; } }; } }',
      'a value that cannot be read',
    ],
    ['returns a promise', '{ async onQuote() {} }', 'onQuote is synchronous'],
    [
      'recurses endlessly',
      '{ onQuote() { const again = () => again() + 1; again(); } }',
      'Maximum call stack size exceeded',
    ],
    ['leaves a rejection unhandled', "{ onStart() { void Promise.reject(new Error('nobody')); } }", 'nobody'],
    [
      'orders with an object as symbol',
      '{ onQuote({ order }) { order.buy({ evil: { deep: true } }, { notional: 100 }); } }',
      'unreadable message',
    ],
    [
      'orders with a function as symbol',
      '{ onQuote({ order }) { order.buy(() => 1, { notional: 100 }); } }',
      'give plain data',
    ],
    [
      'gives weights as a Map',
      "{ onQuote({ order }) { order.rebalance(new Map([['AAPL', 0.5]]), { rest: 'sell' }); } }",
      'give plain data',
    ],
    [
      'orders with a symbol of a million letters',
      "{ onQuote({ order }) { order.buy('A'.repeat(1e6), { notional: 100 }); } }",
      'unreadable message',
    ],
    [
      'keeps a state of 2 MB',
      "{ onStart() { state.kept = 'x'.repeat(2e6); } }",
      'the state is 2,000,011 bytes of JSON',
    ],
    [
      "posts on Node's own channel, reached through its console",
      "{ onQuote() { const at = (one, name) => one[Object.getOwnPropertySymbols(one).find((key) => key.description === name)]; at(console._stdout, 'kPort').postMessage({ type: 'nonsense' }); } }",
      'undefined',
    ],
    [
      'keeps a state that cannot be saved',
      '{ onStart() { state.kept = NaN; } }',
      'the state cannot keep NaN',
    ],
  ])('%s', async (_, hooks, why) => {
    // A short limit only where the test waits for it: on a busy machine any other hook may take half a second.
    const hookMs = /did not end|nobody/.test(why) ? 500 : 10_000;
    expect(await stoppedWith(sourceOf(hooks), { limits: { hookMs } })).toContain(why);
  });

  test('never returns from `create`', async () => {
    const source = sourceOf('(() => { for (;;); })()');
    // The time includes loading, which takes a second on a busy machine.
    expect(await stoppedWith(source, { limits: { startMs: 5_000 } })).toContain(
      'create did not end within 5 s',
    );
  });
});

test('a process that is suspended during a hook does not stop its strategy', async () => {
  const real = systemClock.monotonic.bind(systemClock);
  let calls = 0;
  const busy = '{ onQuote() { for (let at = 0; at < 3e7; at++); } }';
  const strategies = [await isolated('tried', sourceOf(busy), { limits: { hookMs: 2_000 } })];
  const stage = await new Stage({ more: { strategies } }).play(SECOND);
  // Calls per hook: when it began, whether it is late, before a wait, and after that wait an hour later.
  vi.spyOn(systemClock, 'monotonic').mockImplementation(() => real() + (++calls > 3 ? 3_600_000 : 0));
  stage.venue.prices.set('AAPL', 101n * 10n ** 18n);
  await stage.pass(6 * SECOND);
  vi.restoreAllMocks();
  expect(calls).toBeGreaterThan(3);
  expect([...stage.runner.kernel.context.accountState.stopped.keys()]).toEqual([]);
  await stage.stop();
});
