import { afterEach, beforeEach, expect, test } from 'vitest';
import { cashToken, startMovingUser } from './support/movingUser.ts';

let one: Awaited<ReturnType<typeof startMovingUser>>;
beforeEach(async () => (one = await startMovingUser()));
afterEach(() => one.venue.close());

test.each([
  ['buy', { buyMintFeeBps: 25, buyProtocolFeeBps: 1 }],
  ['sell', { sellProtocolFeeBps: 26 }],
])(
  'an order by hand to %s is not sent while the venue states a fee above limits.feeBps',
  async (side, fees) => {
    one.answers['GET /api/v1/config'] = () => ({ exchangeFeeConfig: fees, cashierTokenConfig: [cashToken] });
    const place = `orders place AAPL ${side} --limit 10 --quantity 1 --yes`.split(' ');
    const { code, err } = await one.run(...place);
    expect([code, err]).toEqual([
      4,
      expect.stringContaining(
        `the venue states fees of 26 bps for a ${side}, over the limit of 25 (limits.feeBps)`,
      ),
    ]);
    expect(one.sends()).toEqual([]);
  },
);
