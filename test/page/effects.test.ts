import { describe, expect, test } from 'vitest';
import type { Status } from '../../src/ops/model/status.ts';
import { CANCEL_ALL, cancelOrders, flatten, titleOf, trade } from '../../src/page/steering/action.ts';
import { effectsOf } from '../../src/page/steering/effects.ts';
import { BUSY, HOLDING } from '../cli/commands/daemon/statuses.ts';

describe('the effects of an action', () => {
  test('of a flatten name each sale with its value', () => {
    const texts = effectsOf(flatten(), BUSY).join('\n');
    for (const { positions } of BUSY.strategies)
      for (const { symbol } of positions) expect(texts).toMatch(new RegExp(`Sells [\\d.]+ ${symbol} of `));
    for (const { id } of BUSY.orders) expect(texts).toContain(`Order ${id} is cancelled`);
  });

  test('of a flatten of several positions begin with their total value', () => {
    const twice = BUSY.strategies.map((strategy) => ({
      ...strategy,
      positions: strategy.positions.flatMap((position) => [position, { ...position, value: '100' }]),
    }));
    const [halted, sum, ...rest] = effectsOf(flatten(), { ...BUSY, strategies: twice });
    expect(halted).toBe('Everything is halted until somebody resumes it.');
    expect(sum).toBe('Sells 2 positions, worth about 348.15 mUSD:');
    expect(rest.filter((text) => text.startsWith('Sells'))).toHaveLength(2);
  });

  test('of a flatten say when it sells: now, or at the next open', () => {
    const saleIn = (session: Partial<Status['session']>) =>
      effectsOf(flatten(), { ...BUSY, session: { ...BUSY.session, ...session } }).find((text) =>
        /^The sells|^Nothing is sold/.test(text),
      );
    expect(saleIn({})).toBe('The sells are sent now; the session closes at 16:00:00 New York time.');
    const nextOpen = '2026-03-11T13:30:00Z';
    for (const phase of ['pre', 'post', 'closed', 'overnight'])
      expect(saleIn({ phase, nextOpen })).toBe(
        'Nothing is sold before the next open, 2026-03-11 09:30:00 New York time.',
      );
    expect(saleIn({ phase: 'closed', open: nextOpen })).toContain('2026-03-11 09:30:00 New York time');
    expect(saleIn({ phase: 'post' })).toBe('Nothing is sold before the next open.');
  });

  test("of lifting or replacing a flatten's halt say that the flatten ends, and what stays", () => {
    const halt = {
      state: 'halted',
      cause: 'operator',
      strategy: null,
      symbol: null,
      since: '2026-03-10T14:00:00Z',
      by: 'eva',
      reason: 'enough',
    } as const;
    const halted = (isFlattening: boolean) => ({ ...BUSY, restrictions: [{ ...halt, isFlattening }] });
    for (const [action, verb] of [
      [trade('active'), 'Lifts'],
      [trade('reducing'), 'Replaces'],
    ] as const) {
      const texts = effectsOf(action, halted(true));
      expect(texts[0]).toBe(`${verb}: halted by eva since 10:00:00 New York time: enough`);
      expect(texts[1]).toMatch(/^Ends the flatten at once/);
      expect(texts[2]).toMatch(/^Keeps [\d.]+ AAPL of steady-mix, worth about [\d.]+ mUSD\.$/);
      expect(effectsOf(action, halted(false)).join()).not.toContain('flatten');
      expect(effectsOf(action, { ...halted(true), restrictions: [] }).join()).not.toContain('flatten');
    }
    expect(effectsOf(trade('active', { strategy: 'dca' }), halted(true)).join()).not.toContain('flatten');
  });

  test('of a flatten of one strategy leave the others out', () => {
    const [one, ...others] = BUSY.strategies.filter(({ positions }) => positions.length > 0);
    const texts = effectsOf(flatten({ strategy: one?.id ?? '' }), BUSY).join('\n');
    expect(texts).toContain(`of ${one?.id}, worth about`);
    for (const { id } of others) expect(texts).not.toContain(`of ${id}, worth`);
  });

  test('of a halt name the held orders that cannot send meanwhile', () => {
    const texts = effectsOf(trade('halted'), HOLDING).join('\n');
    for (const { id } of HOLDING.heldOrders) expect(texts).toContain(`Held order ${id} cannot send anything`);
    expect(effectsOf(trade('reducing'), HOLDING).join('\n')).not.toContain('Held order');
  });

  test('of cancelling all orders name the stops, and the shares left without one', () => {
    const [held] = HOLDING.heldOrders.filter(({ protects }) => protects);
    for (const action of [trade('halted', {}, true), CANCEL_ALL, flatten()])
      expect(effectsOf(action, HOLDING).join('\n')).toContain(
        `Held order ${held?.id} is cancelled: the shares it protects are left without a stop`,
      );
  });

  test('of cancelling a held order by its id are that and nothing else', () => {
    const [held] = HOLDING.heldOrders;
    const texts = effectsOf(cancelOrders([held?.id ?? '']), HOLDING);
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain(`Held order ${held?.id} is cancelled`);
    expect(effectsOf(cancelOrders(['gone']), HOLDING)).toEqual(['This order is no longer open.']);
  });

  test('of cancelling an order by its id name that order', () => {
    const [order] = BUSY.orders;
    const action = cancelOrders([order?.id ?? '']);
    expect(effectsOf(action, BUSY)).toEqual([`Order ${order?.id} is cancelled: ${order?.text}.`]);
    expect(titleOf(action)).toBe(`Cancel order ${order?.id}`);
  });
});
