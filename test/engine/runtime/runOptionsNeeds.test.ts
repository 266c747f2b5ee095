import { expect, test } from 'vitest';
import { ticker, type Instrument } from '../../../src/domain/instrument.ts';
import { checkSymbols } from '../../../src/engine/runtime/runOptions.ts';
import { stocks } from '../../../src/emulator/market/listings.ts';
import type { StrategySetup } from '../../../src/engine/strategy/strategyInstance.ts';

const listed = new Map(
  ['AAPL', 'MSFT', 'NVDA'].map((name) => [ticker(name), { tradable: true } as Instrument]),
);
const wanting = (symbol: string) => [{ id: 'one', needs: { quotes: [symbol] } } as unknown as StrategySetup];

test.each([
  [
    'NVDIA',
    /^one asks for NVDIA, which is not listed at this venue\. Did you mean NVDA\?.*Listed are AAPL, MSFT, NVDA/s,
  ],
  ['ZZZZZZ', /^one asks for ZZZZZZ, which is not listed at this venue\. Listed are AAPL, MSFT, NVDA\./s],
])('a strategy that asks for the unlisted stock %s is refused with the listed ones', (symbol, message) => {
  expect(() => checkSymbols(wanting(symbol), listed)).toThrow(message);
});

test('the refusal of an unlisted stock in the emulator names every listed one, without an API command', () => {
  const all = stocks.map(({ listing }) => listing.symbol);
  const emulated = new Map(all.map((name) => [ticker(name), { tradable: true } as Instrument]));
  const refused = () => checkSymbols(wanting('ZZZZZZ'), emulated);
  expect(refused).toThrow(`Listed are ${all.join(', ')}. `);
  expect(refused).not.toThrow('drover api');
});

test('the refusal of an unlisted stock names some of a long list, and the command that shows the rest', () => {
  const many = new Map(
    Array.from({ length: 300 }, (_, index) => [ticker(`A${index}`), { tradable: true } as Instrument]),
  );
  expect(() => checkSymbols(wanting('ZZZZZZ'), many)).toThrow(
    /Listed are A0, A1, .* and 270 more \(`drover api GET \/api\/v1\/symbols`\)/,
  );
});
