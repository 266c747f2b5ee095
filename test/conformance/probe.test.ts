import { expect, test } from 'vitest';
import { probe } from '../../src/cli/doctor/probe.ts';
import { ask, cashIn, cashOut, limitBuy, marketBuy, marketSell, stockMove } from './bodies.ts';
import { startStage } from './stage.ts';

test('the probe of doctor reads every list of the emulator, and finds nothing to tell', async () => {
  const stage = await startStage();
  const client = stage.client(1);
  const { userAddress } = stage.account(1);
  await stage.control('corporate-action', { type: 'cash_dividend', symbol: 'MSFT', cashPerShare: '0.5' });
  for (const body of [marketBuy(stage), limitBuy(stage), { ...marketSell(stage), deferred: true }])
    await ask(client, 'orderSend', { body });
  await ask(client, 'cashDepositSend', { body: cashIn(stage) });
  await ask(client, 'cashWithdrawalSend', { body: cashOut(stage) });
  await ask(client, 'stockDepositSend', { body: stockMove(stage) });
  await ask(client, 'stockWithdrawalSend', { body: stockMove(stage) });
  await stage.settled();
  await ask(client, 'orderSend', { body: marketBuy(stage) });

  const findings = await probe(client, { userAddress });
  expect(findings).toHaveLength(13);
  expect(findings.filter(({ verdict, detail }) => verdict !== 'ok' || detail !== 'as expected')).toEqual([]);
  await stage.close();
});
