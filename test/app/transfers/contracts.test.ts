import { expect, test } from 'vitest';
import { checkContract } from '../../../src/app/transfers/contracts.ts';
import type { KnownPins } from '../../../src/app/environment/pins.ts';
import { Pins } from '../../../src/domain/account/pinBook.ts';
import type { Address } from '../../../src/domain/instrument.ts';

const address = `0x${'55'.repeat(20)}` as Address;
const NONE: KnownPins = { contracts: new Map(), pins: new Pins(), confirmed: new Map() };
const chainSaying = (name: string, decimals = 18) => ({
  symbol: () => Promise.resolve(name),
  decimals: () => Promise.resolve(decimals),
});
const aapl = { symbol: 'AAPL', address, isStock: true };

test('a stock whose token has the name of another one is not moved, unless the config names its contract', async () => {
  const parts = { pins: NONE, stated: new Pins(), chain: chainSaying('mPLUG') };
  await expect(checkContract(aapl, parts)).rejects.toThrow(
    `lists ${address} for AAPL, and the token of that contract calls itself "mPLUG"`,
  );
  const named = { ...parts, pins: { ...NONE, contracts: new Map([['AAPL', address]]) } };
  expect(await checkContract(aapl, named)).toEqual([
    ['contract', `${address} for AAPL, pinned by venue.contracts`],
    ['token', '"mPLUG" with 18 decimals, by the node'],
  ]);
});

test('a cash token is not moved if venue and token state different decimals', async () => {
  const stated = new Pins();
  stated.apply({
    kind: 'pinned',
    pins: [{ subject: 'cash token USDC', terms: { address: address.toLowerCase(), decimals: '9' } }],
  });
  const usdc = { symbol: 'USDC', address, isStock: false };
  await expect(checkContract(usdc, { pins: NONE, stated, chain: chainSaying('USDC', 6) })).rejects.toThrow(
    /the venue states 9 decimals for 0x5+, and the token itself 6. Nothing was sent/,
  );
});
