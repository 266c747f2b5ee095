import { keccak256, type Hex } from 'viem';
import { beforeEach, describe, expect, test } from 'vitest';
import { anvilPath } from './anvil.ts';
import { MEANT, rowFor, type MeantDifference } from './meantDifferences.ts';
import {
  minedProbes,
  readProbes,
  refusedProbes,
  signedApproval,
  waitingProbes,
  type Probe,
} from './probes.ts';
import { differencesOf } from './shape.ts';
import { openWitnesses, type Witnesses } from './witnesses.ts';

/** Rows of the table that were used. */
const met = new Set<MeantDifference>();
let nodes: Witnesses;

beforeEach(async () => {
  if (anvilPath !== null) nodes = await openWitnesses();
});

/** Sends the probes to both nodes, and returns the differences that no row of the table allows. */
async function unmeant(probes: readonly Probe[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const { name, method, params } of probes) {
    const [ours, theirs] = [
      await nodes.emulator.answer(method, params),
      await nodes.anvil.answer(method, params),
    ];
    for (const difference of differencesOf(ours, theirs)) {
      const row = rowFor(name, difference);
      if (row) met.add(row);
      else found.push({ probe: name, ...difference });
    }
  }
  return found;
}

/** Sends an approval to both nodes. */
async function sendApproval(): Promise<Hex> {
  const raw = await signedApproval(nodes);
  const probe = { name: 'an approval', method: 'eth_sendRawTransaction', params: [raw] };
  expect(await unmeant([probe])).toEqual([]);
  return keccak256(raw);
}

describe.skipIf(anvilPath === null)("the emulator's node responds as a real one", () => {
  test('before any transaction', async () => {
    expect(await unmeant(readProbes(nodes))).toEqual([]);
  });

  test('to bytes that it refuses', async () => {
    expect(await unmeant(await refusedProbes(nodes))).toEqual([]);
  });

  test('while a transaction is pending', async () => {
    const txHash = await sendApproval();
    expect(await unmeant(await waitingProbes(nodes, txHash))).toEqual([]);
  });

  test('after a transaction is mined', async () => {
    const txHash = await sendApproval();
    await Promise.all([nodes.emulator.mine(), nodes.anvil.mine()]);
    expect(await unmeant(await minedProbes(nodes, txHash))).toEqual([]);
  });

  test('except for the documented differences, which all occur', () => {
    expect(MEANT.filter((row) => !met.has(row))).toEqual([]);
  });
});
