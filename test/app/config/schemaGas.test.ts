import { expect, test } from 'vitest';
import { Secrets } from '../../../src/core/secrets.ts';
import { parseConfig } from '../../../src/app/config/load.ts';
import { gasLimitsOf } from '../../../src/app/environment/submission.ts';

const configOf = (gas: string) =>
  parseConfig(`gas: ${gas}\nstrategies: [{ id: one, use: dca, capital: 1000 }]\n`, {
    file: 'my.yaml',
    cwd: '/home/me',
    secrets: new Secrets(),
    overrides: [],
  }).config;

test.each([
  ['500', 500_000_000_000n],
  ['0.5', 500_000_000n],
  ['52.25', 52_250_000_000n],
  ['0.000000001', 1n],
  ['123456.123456789', 123_456_123_456_789n],
])('a maxFeePerGasGwei of %s is %s wei', (gwei, wei) => {
  expect(gasLimitsOf(configOf(`{ maxFeePerGasGwei: ${gwei} }`), 143).maxFeePerGas).toBe(wei);
});

test.each(['0', '-1', '0.0000000001', '1000000.5', '.nan'])('a maxFeePerGasGwei of %s is refused', (gwei) => {
  expect(() => configOf(`{ maxFeePerGasGwei: ${gwei} }`)).toThrow('gas.maxFeePerGasGwei');
});

test('a gas limit above that of a transaction is refused', () => {
  expect(gasLimitsOf(configOf('{ limit: 16777216 }'), 143).gasMax).toBe(16_777_216n);
  expect(() => configOf('{ limit: 16777217 }')).toThrow(/EIP-7825/);
});
