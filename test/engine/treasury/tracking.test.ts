import { expect, test } from 'vitest';
import { cash, parseShares } from '../../../src/core/amount.ts';
import { transferDoubt } from '../../../src/engine/treasury/tracking.ts';
import { AccountJournal } from '../../domain/accountJournal.ts';
import { AAPL, STOCK } from '../../domain/orders.ts';

test.each([
  ['10', true],
  ['9.999999999999999999', true],
  ['9.9996', true],
  ['9.9994', false],
])('%s shares in the wallet, where the ledger has 10, allow another transfer: %s', (shown, isFree) => {
  const { state } = new AccountJournal()
    .open('1000')
    .add({ kind: 'walletOpened', tokens: [], stocks: [[AAPL, parseShares('10')]] });
  const held = { exchange: parseShares('0'), wallet: parseShares(shown) };
  const report = { cash: cash(0n), holdings: new Map([[AAPL, held]]) };
  const terms = { kind: 'stockDeposit', symbol: AAPL, token: STOCK, amount: parseShares('1') } as const;
  const doubt = transferDoubt(state, report, terms);
  expect(doubt === null).toBe(isFree);
});
