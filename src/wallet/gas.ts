import { formatEther, formatGwei, parseTransaction } from 'viem/utils';
import type { TransactionSerializedEIP1559 } from 'viem';
import { newYorkDate, newYorkTime } from '../calendar/index.ts';
import { WAD, formatDecimal, type Cash, type Price } from '../core/amount.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import { NotSentError, VenueRefusedError } from '../core/errors.ts';
import type { LoggedTransaction, TransactionLog } from '../domain/transfers/transactionLog.ts';
import type { Chain, GasPrices, Trial } from './chain.ts';
import { revertCause } from './revert.ts';
import type { Fees } from './checkCalldata.ts';

/** Upper bounds of the cost of transactions. */
export type GasLimits = Readonly<{
  /** Wei per unit of gas. Above it nothing is sent. */
  maxFeePerGas: bigint;
  /** Gas of one transaction. Above it nothing is sent. */
  gasMax: bigint;
  /** Margin added to the chain's estimate, in percent. */
  marginPercent: number;
  /** Wei that one transaction may cost. */
  perTransaction: bigint;
  /** Wei that all transactions signed on one trading day may cost. */
  perDay: bigint;
  /** Share of an order's value that its gas may cost, in percent. */
  percentOfOrder: number;
  /** mUSD per native token; null if unknown, in which case `percentOfOrder` is not applied. */
  nativePrice: Price | null;
}>;

/** Minimum fees to replace a transaction with the same nonce. */
export type Replacement = Fees & Readonly<{ nonce: number }>;

/** Raised for a transaction whose gas costs more than the config allows. Nothing was signed. */
export class GasTooDearError extends NotSentError {}

/** Maximum price per unit of gas by one config key, in wei, and what that key allows. */
type FeeBound = Readonly<{ most: bigint; allows: string }>;

export type FeeBounds = readonly [FeeBound, ...FeeBound[]];

/** Transaction before it is signed. `spent`: wei that the others of its day may cost. `worth`: see `SendGate`; `reduces`: a sell or a cancel. */
type Outlay = Readonly<{ gas: bigint; spent: bigint; worth?: Cash | undefined; reduces: boolean }>;

/** Parts of `perDay` available to everything; the rest is kept for sells and cancels. */
const SHARED = { of: 4n, parts: 3n };

/** Maximum gas price by each limit; the tightest decides. */
export function feeBounds(limits: GasLimits, { gas, spent, worth, reduces }: Outlay): FeeBounds {
  const { maxFeePerGas, perTransaction, perDay, percentOfOrder, nativePrice } = limits;
  const daily = reduces ? perDay : (perDay * SHARED.parts) / SHARED.of;
  const left = daily > spent ? daily - spent : 0n;
  const kept = reduces ? '' : `, of which a quarter is kept for sells and cancels`;
  const bounds: FeeBounds = [
    { most: maxFeePerGas, allows: `gas.maxFeePerGasGwei allows ${formatGwei(maxFeePerGas)}` },
    { most: perTransaction / gas, allows: `gas.perTransaction allows ${formatEther(perTransaction)}` },
    {
      most: left / gas,
      allows: `gas.perDay allows ${formatEther(perDay)}${kept}; ${formatEther(spent)} may be spent since 20:00 New York time`,
    },
  ];
  if (worth === undefined || nativePrice === null) return bounds;
  const allowed = (worth * BigInt(Math.round(percentOfOrder * 1_000))) / 100_000n;
  const part = `${percentOfOrder} % of an order worth ${formatDecimal(worth)} mUSD`;
  const priced = `at gas.nativePrice ${formatDecimal(nativePrice)}`;
  const most = (allowed * WAD) / nativePrice / gas;
  return [...bounds, { most, allows: `gas.percentOfOrder allows ${part}, ${priced}` }];
}

const tightest = (bounds: FeeBounds): FeeBound =>
  bounds.reduce((least, each) => (each.most < least.most ? each : least));

/**
 * Fees of a transaction: twice the base fee, so that it stays minable while that rises; more if it replaces another. Never above a
 * limit: a transaction that is no longer visible is then not outbid, and a node that still has it refuses this one.
 * @throws {GasTooDearError} when a limit is too low for current prices
 */
export function feesWithin(
  { bounds, gas }: Readonly<{ bounds: FeeBounds; gas: bigint }>,
  { baseFee, tip }: GasPrices,
  least: Replacement | null,
): Fees {
  const { most, allows } = tightest(bounds);
  const now = baseFee + tip;
  if (now > most)
    throw new GasTooDearError(
      `gas is too expensive: a unit costs ${formatGwei(now)} gwei now (base fee ${formatGwei(baseFee)}, tip ${formatGwei(tip)}), ` +
        `${gas} units ${formatEther(now * gas)}, and ${allows}. ${REMEDY}`,
    );
  const maxFeePerGas = smaller(larger(baseFee * 2n + tip, least?.maxFeePerGas ?? 0n), most);
  const maxPriorityFeePerGas = smaller(larger(tip, least?.maxPriorityFeePerGas ?? 0n), maxFeePerGas);
  return { maxFeePerGas, maxPriorityFeePerGas };
}

const REMEDY = 'Nothing was signed. Check the node of venue.rpcUrl; raise that key if the price is right';

/** @throws {GasTooDearError} when a limit is too low to replace the transaction */
export function requireOutbidding(bounds: FeeBounds, { nonce, maxFeePerGas }: Replacement): void {
  const { most, allows } = tightest(bounds);
  if (maxFeePerGas <= most) return;
  throw new GasTooDearError(
    `to replace the waiting transaction of nonce ${nonce}, a unit of gas must pay up to ${formatGwei(maxFeePerGas)} gwei, and ${allows}: raise it`,
  );
}

/**
 * The chain's gas estimate, with the margin.
 * @throws {VenueRefusedError} when the call would revert
 * @throws {GasTooDearError} when the limit is too low for it
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
  throw new GasTooDearError(`it needs ${gas} gas, and gas.limit allows ${gasMax}. ${REMEDY}`);
}

/** Cost of what a wallet has signed on the trading day, which starts at 20:00 in New York. */
export class DaySpending {
  readonly #log: Pick<TransactionLog, 'entries'>;
  /** Costs of the day by transaction hash. */
  #costs = new Map<string, bigint>();

  constructor(log: Pick<TransactionLog, 'entries'>) {
    this.#log = log;
  }

  /**
   * Maximum cost in wei of transactions with other nonces, each at its gas limit and maximum fee. Of several with one nonce a
   * block includes only one, so the most expensive counts.
   */
  beside(nonce: number, now: EpochMs): bigint {
    const since = dayStart(now);
    const costs = new Map<string, bigint>();
    const byNonce = new Map<number, bigint>();
    for (const each of this.#log.entries()) {
      if (each.at < since || each.nonce === nonce) continue;
      const cost = this.#costs.get(each.txHash) ?? costOf(each);
      costs.set(each.txHash, cost);
      byNonce.set(each.nonce, larger(cost, byNonce.get(each.nonce) ?? 0n));
    }
    this.#costs = costs;
    return [...byNonce.values()].reduce((sum, cost) => sum + cost, 0n);
  }
}

function costOf({ raw }: Pick<LoggedTransaction, 'raw'>): bigint {
  const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(raw as TransactionSerializedEIP1559);
  return gas * maxFeePerGas;
}

/** Reaches into the day before from any time until 20:00, in summer and winter time. */
const INTO_DAY_BEFORE_MS = 22 * 3_600_000;

/** Start of a trading day: the latest 20:00 in New York. */
export function dayStart(now: EpochMs): EpochMs {
  const today = newYorkTime(newYorkDate(now), '20:00');
  return today <= now ? today : newYorkTime(newYorkDate(epochMs(now - INTO_DAY_BEFORE_MS)), '20:00');
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);
