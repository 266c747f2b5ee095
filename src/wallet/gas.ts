import { formatGwei } from 'viem/utils';
import { VenueRefusedError } from '../core/errors.ts';
import type { Chain, GasPrices, Trial } from './chain.ts';
import { revertCause } from './revert.ts';
import type { Fees } from './checkCalldata.ts';

/** Upper bounds of the cost of a transaction. */
export type GasLimits = Readonly<{
  /** Wei. Above it nothing is sent. */
  maxFeePerGas: bigint;
  /** Gas of one transaction. Above it nothing is sent. */
  gasMax: bigint;
  /** Margin added to the chain's estimate, in percent. */
  marginPercent: number;
}>;

/** Least fees that replace a transaction of the same nonce. */
export type Replacement = Fees & Readonly<{ nonce: number }>;

/**
 * Fees of a transaction: twice the base fee, so that it stays minable while that rises; more where it replaces another. Never above
 * the limit: a transaction that nobody shows any more is then not outbid, and a node that still has it refuses this one.
 * @throws {VenueRefusedError} when the limit is too low for current prices
 */
export function feesWithin(
  { maxFeePerGas: most }: Pick<GasLimits, 'maxFeePerGas'>,
  { baseFee, tip }: GasPrices,
  least: Replacement | null,
): Fees {
  if (baseFee + tip > most)
    throw new VenueRefusedError(
      `a unit of gas costs ${formatGwei(baseFee + tip)} gwei now (base fee ${formatGwei(baseFee)}, tip ${formatGwei(tip)}), and gas.maxFeePerGasGwei allows ${formatGwei(most)}`,
    );
  const maxFeePerGas = smaller(larger(baseFee * 2n + tip, least?.maxFeePerGas ?? 0n), most);
  const maxPriorityFeePerGas = smaller(larger(tip, least?.maxPriorityFeePerGas ?? 0n), maxFeePerGas);
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/** @throws {VenueRefusedError} when the limit is too low to replace the transaction */
export function requireOutbidding(
  { maxFeePerGas: most }: Pick<GasLimits, 'maxFeePerGas'>,
  { nonce, maxFeePerGas }: Replacement,
): void {
  if (maxFeePerGas <= most) return;
  throw new VenueRefusedError(
    `to replace the waiting transaction of nonce ${nonce}, a unit of gas must pay up to ${formatGwei(maxFeePerGas)} gwei, and gas.maxFeePerGasGwei allows ${formatGwei(most)}: raise it`,
  );
}

/**
 * The chain's estimate of gas, with the margin.
 * @throws {VenueRefusedError} when the call would revert, or the limit is too low for it
 */
export async function gasWithin(
  { gasMax, marginPercent }: Pick<GasLimits, 'gasMax' | 'marginPercent'>,
  chain: Pick<Chain, 'estimateGas'>,
  trial: Trial,
): Promise<bigint> {
  const estimate = await chain.estimateGas(trial).catch((error: unknown) => {
    if (!(error instanceof VenueRefusedError)) throw error;
    throw new VenueRefusedError(`it would revert on chain, ${revertCause(error)}`);
  });
  const gas = (estimate * BigInt(100 + marginPercent)) / 100n;
  if (gas <= gasMax) return gas;
  throw new VenueRefusedError(`it needs ${gas} gas, and gas.limit allows ${gasMax}`);
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);
