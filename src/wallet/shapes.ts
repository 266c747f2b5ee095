import { z } from 'zod';
import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Hex } from './routerAbi.ts';

/** A number as a node writes it. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/, 'not a quantity')
  .transform((text) => BigInt(text));

export const bytes = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/, 'not bytes')
  .transform((text) => text as Hex);

/** `timestamp`: seconds since 1970. */
export const block = z.object({
  number: quantity,
  timestamp: quantity,
  baseFeePerGas: quantity.nullish(),
});
export type Block = z.output<typeof block>;

export const transaction = z.object({
  from: bytes,
  to: bytes.nullable(),
  input: bytes,
  value: quantity,
  gas: quantity,
  nonce: quantity,
});

export const receipt = z.object({ status: quantity, blockNumber: quantity });

export const toHex = (value: bigint): Hex => `0x${value.toString(16)}`;

export const timeOf = ({ timestamp }: Block): EpochMs => epochMs(Number(timestamp) * 1000);
