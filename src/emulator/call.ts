import type { Price } from '../core/amount.ts';
import type { EpochSeconds } from '../core/brand.ts';
import type { Address } from '../domain/instrument.ts';
import type { Asset, Bucket } from './ledger.ts';

/** A market buy is an amount of mUSD, any other order one of shares. */
export type PlaceCall = Readonly<
  | { kind: 'placeMarketOrder'; stock: Address; amount: bigint; deadline: EpochSeconds }
  | { kind: 'placeLimitOrder'; stock: Address; quantity: bigint; price: Price; deadline: EpochSeconds }
>;

/**
 * What a transaction asks of the contracts. The first are functions of the router with the router's arguments: a
 * sell is a negative amount, amounts are wads (10⁻¹⁸), times are Unix seconds. The others are the venue's own.
 */
export type Call = Readonly<
  | PlaceCall
  | { kind: 'cancelLimitOrder'; orderId: `0x${string}`; deadline: EpochSeconds }
  | { kind: 'settleOrder'; orderId: `0x${string}` }
  /** From another actor to the account, or back when negative. */
  | { kind: 'moveForeign'; userAddress: Address; bucket: Bucket; asset: Asset; amount: bigint }
>;
