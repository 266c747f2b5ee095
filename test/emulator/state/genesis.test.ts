import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { genesis } from '../../../src/emulator/state/genesis.ts';

const options = { seed: 1, start: epochMs(Date.parse('2026-06-15T13:30:00Z')), indexerLagMs: 0 };
const held = (balances: Readonly<Record<string, bigint>>, symbol: string) =>
  Object.entries(balances).filter(([key, amount]) => key.includes(symbol) && amount > 0n).length;

test('accounts have cash and stock, but no stock with funds: cash', () => {
  const [all, cash] = [genesis(options).balances, genesis({ ...options, funds: 'cash' }).balances];
  expect(['mUSD', 'USDC', 'AAPL', 'MSFT', 'SPY'].map((symbol) => held(all, symbol))).toEqual([4, 4, 8, 4, 4]);
  expect(['mUSD', 'USDC', 'AAPL', 'MSFT', 'SPY'].map((symbol) => held(cash, symbol))).toEqual([
    4, 4, 0, 0, 0,
  ]);
});
