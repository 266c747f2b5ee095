import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getAddress } from 'viem/utils';
import { isChecksummed } from '../../src/api/wire.ts';

// The vectors of EIP-55.
test.each([
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
])('%s is checksummed, and is not with other letter cases or digits', (address) => {
  expect(isChecksummed(address)).toBe(true);
  expect(isChecksummed(`0x${address.slice(2).toUpperCase()}`)).toBe(false);
  expect(isChecksummed(address.toLowerCase())).toBe(false);
  expect(isChecksummed(address.replace('b', 'c').replace('9', '8'))).toBe(false);
});

test('isChecksummed accepts every address that viem checksums', () => {
  const digits = fc.stringMatching(/^[0-9a-f]{40}$/);
  fc.assert(
    fc.property(digits, (hex) => {
      expect(isChecksummed(getAddress(`0x${hex}`))).toBe(true);
    }),
  );
});
