import { expect } from 'vitest';
import { parseCash } from '../../src/core/amount.ts';
import { ticker, type Address } from '../../src/domain/instrument.ts';
import { DEBT, QUEUED_IN, WALLET } from '../../src/domain/account/ledger.ts';
import { EmulatedWorld, type Submission } from './emulated.ts';

const $ = parseCash;

export const ledgerOf = (world: EmulatedWorld) => {
  const accountState = world.runner?.kernel.context.accountState;
  if (!accountState) throw new Error('nothing has run');
  return accountState.ledger;
};

/** Expects no difference at any time, and every bucket to equal the venue's. */
export function expectSound(world: EmulatedWorld): void {
  expect(world.runner?.kernel.context.accountState.differences).toEqual([]);
  expectAgreement(world);
}

export function expectAgreement(world: EmulatedWorld): void {
  expect(world.runner?.kernel.reconciliation.clean).toBe(true);
  const truth = world.truth();
  const ledger = ledgerOf(world);
  expect(ledger.total('mUSD')).toBe($(truth.mUsd) + $(truth.mUsdLocked));
  for (const { symbol, exchange, locked, wallet, debt } of truth.stocks) {
    const asset = ticker(symbol);
    expect(ledger.total(asset), symbol).toBe($(exchange) + $(locked));
    expect(ledger.at(WALLET, asset), symbol).toBe($(wallet));
    expect(ledger.at(QUEUED_IN, asset), symbol).toBe(0n);
    if (debt !== '0') expect(ledger.at(DEBT, asset), symbol).toBe(-$(debt));
  }
}

/** A journal up to and including the first matching line. */
export const cut = (lines: readonly string[], after: RegExp) => {
  const at = lines.findIndex((line) => after.test(line));
  if (at < 0) throw new Error(`nothing like ${after}`);
  return lines.slice(0, at + 1);
};

/** Sells two AAPL deferred, as another program. */
export async function sellDeferred({ client, clock }: EmulatedWorld): Promise<void> {
  const [apple] = (await client.symbols()).filter((row) => 'symbol' in row && row.symbol === 'AAPL');
  if (!apple || !('contractAddress' in apple)) throw new Error('no AAPL');
  const stockAddress = apple.contractAddress.toLowerCase() as Address;
  const deadline = Math.floor(clock.now() / 1000) + 60;
  const order = { side: 'Sell', type: 'Market', quantity: '2', deferred: true } as const;
  await client.orderSend({ body: { stockAddress, ...order, deadline } });
}

/** A world in which they are sold before any run. */
export async function indebted(submission: Submission = 'blind'): Promise<EmulatedWorld> {
  const world = new EmulatedWorld({ account: 1, submission });
  await world.during(async () => {
    await sellDeferred(world);
    await world.clock.sleep(60_000);
  });
  expect(world.truth().stocks.find(({ symbol }) => symbol === 'AAPL')?.debt).toBe('2');
  return world;
}
