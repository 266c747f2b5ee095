import type { Hex } from '../state.ts';

/** A number as JSON-RPC writes it. */
export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;
