import { expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { parseCommand } from '../../src/emulator/machine/commands.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { planOf } from './plan.ts';
import { noneYet } from './sometimes.ts';
import { VenueSide } from './venueSide.ts';

test('an order whose request was held on its way is seen once it arrives', () => {
  const plan = planOf(1);
  const venue = new VenueSide(plan, seededRandom(1), noneYet());
  const seen: string[] = [];
  venue.onOrder = (_mark, { txHash }) => seen.push(txHash);
  const now = epochMs(plan.start);
  const rules = [{ kind: 'late-request', ms: 30_000, times: 1 }];
  venue.machine.command(parseCommand('faults', { rules }), now);
  venue.placeForeign(now);
  expect(seen).toEqual([]);
  venue.machine.advance(epochMs(now + 30_000));
  expect(seen).toHaveLength(1);
  expect([...venue.foreign]).toEqual(seen);
});
