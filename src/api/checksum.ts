import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex } from '@noble/hashes/utils';

/**
 * Whether the case of each letter of `0x` and 40 hex digits is the one that its checksum (EIP-55) asks for. Hashes with
 * the library that viem itself uses: loading viem for it would cost every start more than a tenth of a second.
 */
export function isChecksummed(address: string): boolean {
  const digits = address.slice(2).toLowerCase();
  const hash = bytesToHex(keccak_256(digits));
  const cased = digits.replace(/[a-f]/g, (letter, at: number) =>
    (hash[at] ?? '0') >= '8' ? letter.toUpperCase() : letter,
  );
  return address === `0x${cased}`;
}
