import { expect, test } from 'vitest';
import { parseCash as $ } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { parseCommand } from '../../../src/emulator/machine/commands.ts';
import { EmulatedWorld } from '../emulated.ts';
import { expectSound } from '../treasuries.ts';

const buffer = { below: $('120000'), upTo: $('130000'), atLeast: $('100'), maxPerDay: $('45000') };
const constants = (body: object) => parseCommand('constants', body);

/** A deposit of 30,000 at a venue with other constants. */
async function deposited(body: object): Promise<EmulatedWorld> {
  const world = new EmulatedWorld();
  world.command(constants(body));
  await world.run(10, { treasury: { cashBuffer: buffer } });
  return world;
}

test('a deposit with a fee is booked at the credited amount', async () => {
  const world = await deposited({ depositFeeBps: 5 });
  const [operation] = world.operations;
  expect(operation).toMatchObject({
    terms: { amount: $('30000') },
    state: { kind: 'settled', received: $('29985') },
  });
  expectSound(world);
});

test("a deposit below a risen minimum is refused with the venue's words, and tried at most three times", async () => {
  const world = await deposited({ minDeposit: '40000' });
  const sends = world.client.requests.byEndpoint['POST /api/v1/cash/deposits/send'] ?? 0;
  expect(world.operations.every(({ state }) => state.kind !== 'settled')).toBe(true);
  expect(sends).toBeLessThanOrEqual(3);
  expect(world.notices.map(({ text }) => text).join('\n')).toContain('tokenAmount must be at least 40000');
  expectSound(world);
});

test.each(['success', 'Pending', 'processing'])(
  "a deposit waits while the venue's word %s is renamed, and is made once",
  async (word) => {
    const world = new EmulatedWorld();
    world.command(constants({ words: { [word]: 'Levitating' } }));
    world.clock.at(epochMs(world.clock.now() + 600_000), () => world.command(constants({ words: {} })));
    await world.run(20, { treasury: { cashBuffer: buffer } });
    expect(world.operations).toMatchObject([{ state: { kind: 'settled', received: $('30000') } }]);
    expectSound(world);
  },
);
