import { bytesToHex, hexToBytes, keccak256 } from 'viem/utils';
import type { Hex } from '../state.ts';
import type { Log } from './logs.ts';

const BYTES = 256;

/** The filter of a block's or a receipt's logs: three bits for every address and topic (yellow paper, 4.3.1). */
export function bloomOf(logs: readonly Log[]): Hex {
  const bits = new Uint8Array(BYTES);
  for (const { address, topics } of logs)
    for (const item of [address as Hex, ...topics]) {
      const hash = hexToBytes(keccak256(item));
      for (const at of [0, 2, 4]) {
        const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) % (BYTES * 8);
        const byte = BYTES - 1 - (bit >> 3);
        bits[byte] = (bits[byte] ?? 0) | (1 << (bit & 7));
      }
    }
  return bytesToHex(bits);
}
