import { expect, test } from 'vitest';
import { CLIENTS, faceOfClient, type NodeFace } from '../../src/emulator/state/nodeFace.ts';
import { faceOfSeed } from './faces.ts';
import { planOf } from './plan.ts';

/** Number of seeds after which a campaign must have met everything. */
const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);

/** Seeds whose runs use a node. */
const asking = SEEDS.filter((seed) => planOf(seed).submission !== 'one-click');

const valuesOf = <Switch extends keyof NodeFace>(name: Switch): readonly NodeFace[Switch][] => [
  ...new Set(asking.map((seed) => faceOfSeed(seed)[name])),
];

test('the seeds of a campaign cover nodes of every client and each value of every node setting', () => {
  expect([...valuesOf('client')].sort()).toEqual([...CLIENTS].sort());
  expect(valuesOf('reverts')).toHaveLength(3);
  for (const name of ['countsWaiting', 'showsWaiting', 'charges', 'replacementPercent'] as const)
    expect(valuesOf(name), name).toHaveLength(2);
  for (const name of ['expiryMs', 'baseFeePeak'] as const)
    expect(valuesOf(name).length, name).toBeGreaterThan(3);
  expect(asking.map(faceOfSeed)).toContainEqual(faceOfClient('monad'));
});

test('every client is the node of some seeds in which the wallet sends and the node may refuse', () => {
  const refusing = SEEDS.map((seed) => planOf(seed)).filter(
    ({ submission, episodes }) =>
      submission === 'calldata' && episodes.some(({ kind }) => kind === 'busyNode'),
  );
  for (const client of CLIENTS)
    expect(refusing.filter(({ face }) => face.client === client).length, client).toBeGreaterThan(1);
});

test("the node of a seed is always the same, and without faults it is that of the venue's chain", () => {
  expect(faceOfSeed(7)).toEqual(faceOfSeed(7));
  expect(planOf(7, { faults: false }).face).toEqual(faceOfClient('monad'));
});
