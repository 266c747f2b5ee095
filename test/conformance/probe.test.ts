import { expect, test } from 'vitest';
import { ask, cashIn, cashOut, limitBuy, marketBuy, marketSell, stockMove } from './bodies.ts';
import { probeOf } from './probing.ts';
import { startStage } from './stage.ts';

test('doctor --probe reads every list of the emulator and finds nothing to report', async () => {
  const stage = await startStage();
  const client = stage.client(1);
  await stage.control('corporate-action', { type: 'cash_dividend', symbol: 'MSFT', cashPerShare: '0.5' });
  for (const body of [marketBuy(stage), limitBuy(stage), { ...marketSell(stage), deferred: true }])
    await ask(client, 'orderSend', { body });
  await ask(client, 'cashDepositSend', { body: cashIn(stage) });
  await ask(client, 'cashWithdrawalSend', { body: cashOut(stage) });
  await ask(client, 'stockDepositSend', { body: stockMove(stage) });
  await ask(client, 'stockWithdrawalSend', { body: stockMove(stage) });
  await stage.settled();
  await ask(client, 'orderSend', { body: marketBuy(stage) });

  const findings = await probeOf(stage, client);
  const shapes = findings.filter(({ check }) => check.startsWith('probe '));
  expect(shapes).toHaveLength(13);
  expect(shapes.filter(({ verdict, detail }) => verdict !== 'ok' || detail !== 'as expected')).toEqual([]);
  const assumed = findings.flatMap(({ assumption }) => assumption ?? []);
  expect(assumed.filter(({ state }) => state === 'differs')).toEqual([]);
  // Only a send, a link, One Click or an order outside the session would show these.
  expect(assumed.filter(({ state }) => state === 'unchecked').map(({ entry }) => entry)).toEqual([
    'fields.sent',
    'fields.recordTx',
    'fields.cashWithdrawal',
    'fields.delegationChanged',
    'dayEnds',
    'extendedHours',
    'exDates',
    'fields.onChain',
    'tokenUnits',
  ]);
  expect(assumed).toHaveLength(48);
  await stage.control('constants', { tokens: { '*': { multiplier: '1.5' } } });
  const onChain = (await probeOf(stage, client)).flatMap(({ assumption, detail }) =>
    assumption?.entry === 'fields.onChain' ? [[assumption.state, detail]] : [],
  );
  expect(onChain).toEqual([['as assumed', 'as assumed: price, multiplier']]);
  await stage.close();
});
