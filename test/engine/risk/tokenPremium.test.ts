import { expect, test } from 'vitest';
import { entryOf } from '../../store/memoryJournal.ts';
import { EmulatedWorld } from '../emulated.ts';

test.each([
  ['over the limit', '1.0024', 'PREMIUM'],
  ['within the limit', '1.0524', 'FILLED'],
])(
  "a buy is checked against the multiplier stated by the token's contract: %s",
  async (_, multiplier, code) => {
    const world = new EmulatedWorld({ submission: 'one-click' });
    const state = (traits: object) => world.command({ kind: 'constants', body: { tokens: { '*': traits } } });
    state({ premiumBps: 500, multiplier, contract: 'uiMultiplier' });
    const limits = { premiumBps: multiplier === '1.0024' ? 400 : 600 };
    await world.run(3, {
      hooks: { onStart: ({ order }) => void order.buy('AAPL', { shares: 1 }) },
      rules: { limits },
    });
    const facts = world.lines.map((line) => entryOf(line).fact);
    const [token] = facts.flatMap((fact) => (fact.kind === 'tokenPrices' ? fact.tokens : []));
    expect(String(token?.ratio)).toBe(multiplier.replace('1.', '1').padEnd(19, '0'));
    const [end] = facts.flatMap((fact) => (fact.kind === 'intentEnded' ? [fact.code] : []));
    expect(end).toBe(code);
  },
);
