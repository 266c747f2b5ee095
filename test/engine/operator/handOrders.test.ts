import { describe, expect, test } from 'vitest';
import { parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type {
  OperatorAnswer,
  OperatorCommand,
  OperatorRequest,
} from '../../../src/domain/operator/command.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

const AAPL = ticker('AAPL');
const buyFor = (notional: string) => ({ kind: 'buy', notional: parseCash(notional) }) as const;
const ordering = (
  terms: Extract<OperatorCommand, { kind: 'order' }>['terms'],
  more: Readonly<{ symbol?: string; strategyId?: string }> = {},
): OperatorCommand => ({
  kind: 'order',
  terms,
  symbol: ticker(more.symbol ?? 'AAPL'),
  ...(more.strategyId === undefined ? {} : { strategyId: more.strategyId }),
});
const request = (command: OperatorCommand, id = 'by-hand-0001'): OperatorRequest => ({
  id: id as CommandId,
  by: 'ada (socket)',
  reason: 'rebalance by hand',
  command,
});

const playing = async (options: StageOptions = {}) => new Stage(options).play(2 * MINUTE);

async function order(stage: Stage, command: OperatorCommand, id?: string): Promise<OperatorAnswer> {
  const answer = stage.runner.command(request(command, id));
  await stage.pass(0);
  return answer;
}

/** Fills resting orders at the venue, and lets the run see it. */
async function filled(stage: Stage): Promise<void> {
  await stage.pass(10 * SECOND);
  for (const row of stage.venue.rows) if (row.status === 'open') stage.venue.fill(row);
  await stage.pass(2 * MINUTE);
}

const refused = (because: 'usage' | 'safety', text: RegExp) => ({
  kind: 'refused',
  because,
  text: expect.stringMatching(text) as string,
});

describe('a manual order through the daemon', () => {
  test('buys with unallocated cash, causes no difference, and ends in the journal', async () => {
    const stage = await playing();
    const answer = await order(stage, ordering(buyFor('1000')));
    expect(answer).toMatchObject({
      kind: 'done',
      result: { intent: 'hand-1', order: 'hand-1.1', state: 'planned' },
    });
    await filled(stage);
    expect(stage.states).toEqual(['closed']);
    const { accountState } = stage.runner.kernel.context;
    expect(accountState.ledger.held('', AAPL)).toBeGreaterThan(0n);
    expect(accountState.ledger.held('solo', 'mUSD')).toBe(parseCash('10000'));
    expect(accountState.differences).toEqual([]);
    expect(accountState.externals.all.size).toBe(0);
    expect(accountState.undelivered.size).toBe(0);
    expect(stage.alarms).toEqual([]);
    const progress = stage.runner.progress('by-hand-0001' as CommandId);
    expect(progress).toMatchObject({ isDone: true, left: [], order: { state: { how: 'filled' } } });
    const summary = await stage.stop();
    expect(summary.reconciliation).toMatchObject({ differences: 0, open: [] });
  });

  test('for a strategy uses its cash and shares, and the strategy is notified of the fill', async () => {
    const fills: string[] = [];
    const stage = await playing({ hooks: { solo: { onFill: ({ fill }) => void fills.push(fill.side) } } });
    await order(stage, ordering(buyFor('1000'), { strategyId: 'solo' }), 'by-hand-0002');
    await filled(stage);
    expect(fills).toEqual(['buy']);
    await order(stage, ordering({ kind: 'sell', quantity: 'all' }, { strategyId: 'solo' }), 'by-hand-0003');
    await filled(stage);
    expect(fills).toEqual(['buy', 'sell']);
    expect(stage.runner.kernel.context.accountState.ledger.held('solo', AAPL)).toBe(0n);
    expect(stage.orders.map(({ id }) => id)).toEqual(['solo-1.1', 'solo-2.1']);
  });

  test('is sent once, however often its command id is repeated', async () => {
    const stage = await playing();
    const [first, second] = [
      await order(stage, ordering(buyFor('1000'))),
      await order(stage, ordering(buyFor('1000'))),
    ];
    expect(second).toEqual(first);
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(1);
    const next = await new Stage({ after: stage }).play(2 * MINUTE);
    expect(await order(next, ordering(buyFor('1000')))).toEqual(first);
    await next.pass(MINUTE);
    expect(next.venue.sends).toBe(1);
  });

  test('sells stock held before the first start without cost or realised profit', async () => {
    const stage = new Stage();
    stage.venue.holdings.set('AAPL', parseShares('5'));
    await stage.play(2 * MINUTE);
    await order(stage, ordering({ kind: 'sell', quantity: parseShares('2') }));
    await filled(stage);
    expect(stage.states).toEqual(['closed']);
    const { positions, ledger } = stage.runner.kernel.context.accountState;
    expect(positions.of('', AAPL)).toEqual({ quantity: 0n, cost: 0n, realised: 0n });
    expect(ledger.held('', AAPL)).toBe(parseShares('3'));
  });

  test('counts under the limits of the run, also once filled', async () => {
    const stage = await playing({ limits: { positionNotional: parseCash('1500') } });
    expect(await order(stage, ordering(buyFor('1000')), 'by-hand-0001')).toMatchObject({ kind: 'done' });
    await filled(stage);
    expect(await order(stage, ordering(buyFor('1000')), 'by-hand-0002')).toMatchObject(
      refused('safety', /1500 .*Nothing was sent/),
    );
    expect(stage.venue.sends).toBe(1);
  });

  test('that cannot be sent now is refused with the reason', async () => {
    const stage = await playing({ limits: { orderNotional: parseCash('500') } });
    const refusals: readonly [OperatorCommand, ReturnType<typeof refused>][] = [
      [ordering(buyFor('1000')), refused('safety', /500/)],
      [ordering(buyFor('100'), { symbol: 'APL' }), refused('usage', /not listed.*Did you mean AAPL/)],
      [ordering(buyFor('100'), { strategyId: 'sole' }), refused('usage', /no strategy sole.*mean solo/)],
      [ordering(buyFor('100'), { symbol: 'MSFT' }), refused('safety', /whole shares only/)],
      [ordering({ kind: 'sell', quantity: parseShares('1') }), refused('safety', /1 AAPL to sell, 0 free/)],
      [
        ordering({
          kind: 'limit',
          side: 'buy',
          quantity: parseShares('1'),
          price: parsePrice('99.999'),
          goodTill: 'day',
        }),
        refused('usage', /multiple of 0.01/),
      ],
    ];
    for (const [index, [command, expected]] of refusals.entries())
      expect(await order(stage, command, `by-hand-1${index}`.padEnd(12, '0'))).toMatchObject(expected);
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(0);
  });

  test('is refused in a halt, and while reducing unless it is a sell', async () => {
    const stage = new Stage();
    stage.venue.holdings.set('AAPL', parseShares('5'));
    await stage.play(2 * MINUTE);
    const restrict = (state: 'halted' | 'reducing', id: string) =>
      order(stage, { kind: 'trade', state, scope: { symbol: AAPL } }, id);
    await restrict('reducing', 'reduce-0001');
    expect(await order(stage, ordering(buyFor('100')), 'by-hand-0001')).toMatchObject(
      refused('safety', /AAPL is reducing: rebalance by hand.*Nothing was sent/),
    );
    const selling = ordering({ kind: 'sell', quantity: parseShares('1') });
    expect(await order(stage, selling, 'by-hand-0002')).toMatchObject({ kind: 'done' });
    await stage.pass(2 * MINUTE);
    expect(stage.venue.sends).toBe(1);
    await restrict('halted', 'halt-00001');
    expect(await order(stage, selling, 'by-hand-0003')).toMatchObject(refused('safety', /halted/));
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(1);
  });

  test('on a held stock is refused in the session, and waits for the open before it', async () => {
    const stage = new Stage();
    stage.venue.holdings.set('AAPL', parseShares('5'));
    await stage.play(2 * MINUTE);
    const { holds } = stage.runner.kernel.context;
    const refusal = refused(
      'safety',
      /AAPL is held for a look. It ends by itself: order again .*Nothing was sent/,
    );
    const selling = ordering({ kind: 'sell', quantity: parseShares('1') });
    holds.put('corporate action', 'AAPL is held for a look', AAPL);
    expect(await order(stage, ordering(buyFor('100')), 'by-hand-0001')).toMatchObject(refusal);
    expect(await order(stage, selling, 'by-hand-0002')).toMatchObject(refusal);
    holds.lift('corporate action', AAPL);
    holds.put('difference', 'mUSD is held: it differs', 'mUSD');
    expect(await order(stage, ordering(buyFor('100')), 'by-hand-0003')).toMatchObject(
      refused('safety', /mUSD is held: it differs/),
    );
    expect(await order(stage, selling, 'by-hand-0004')).toMatchObject({ kind: 'done' });
    expect(stage.runner.kernel.context.accountState.intentCount).toBe(1);
    const evening = await playing({ start: epochMs(Date.parse('2026-06-15T12:00:00Z')) });
    evening.runner.kernel.context.holds.put('corporate action', 'AAPL is held for a look', AAPL);
    const [quantity, price] = [parseShares('1'), parsePrice('99')];
    const limit = ordering({ kind: 'limit', side: 'buy', quantity, price, goodTill: 'day' });
    expect(await order(evening, limit, 'by-hand-0005')).toMatchObject({ result: { state: 'waiting' } });
    await evening.pass(120 * MINUTE);
    expect(evening.runner.progress('by-hand-0005' as CommandId)).toMatchObject({
      isDone: true,
      ended: {
        how: 'dropped',
        why: expect.stringMatching(/kept back for 10 minutes: AAPL is held/) as string,
      },
    });
    expect(evening.venue.sends).toBe(0);
  });

  test('is refused while a kill file exists', async () => {
    const stage = await playing();
    stage.killed = true;
    expect(await order(stage, ordering(buyFor('100')))).toMatchObject(refused('safety', /kill file/));
    expect(stage.venue.sends).toBe(0);
  });

  test('outside the session waits for the open with a limit price, and is refused without', async () => {
    const stage = await playing({ start: epochMs(Date.parse('2026-06-15T12:00:00Z')) });
    expect(await order(stage, ordering(buyFor('100')), 'by-hand-0001')).toMatchObject(
      refused('safety', /regular session, and now it is pre/),
    );
    const limit = ordering({
      kind: 'limit',
      side: 'buy',
      quantity: parseShares('1'),
      price: parsePrice('99'),
      goodTill: 'day',
    });
    const waits = await order(stage, limit, 'by-hand-0002');
    expect(waits).toMatchObject({ kind: 'done', result: { intent: 'hand-1', state: 'waiting' } });
    expect(waits.text).toContain('2026-06-15 09:30');
    const progress = () => stage.runner.progress('by-hand-0002' as CommandId);
    expect(progress()).toMatchObject({ isDone: false, waiting: { id: 'hand-1' } });
    await stage.pass(95 * MINUTE);
    expect(stage.states).toEqual(['working']);
    expect(progress()).toMatchObject({ order: { id: 'hand-1.1' }, waiting: undefined });
    const next = await new Stage({ after: stage }).play(2 * MINUTE);
    expect(next.states).toEqual(['working']);
  });

  test('does not keep the orders of its strategy from being sent', async () => {
    const stage = await playing({
      hooks: { solo: atStart((orders) => void orders.buy('AAPL', { notional: '300' })) },
    });
    await order(stage, ordering(buyFor('100')));
    await filled(stage);
    expect(stage.states).toEqual(['closed', 'closed']);
  });
});
