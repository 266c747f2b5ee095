import { restrictionName } from '../../domain/operator/tradingState.ts';
import { cash, formatDecimal } from '../../core/amount.ts';
import { type FeeSchedule, bpsBySide, feeOf, feeSchedules } from '../../domain/fees.ts';
import { type Order, DUST } from '../../domain/orders/order.ts';
import { addsUp, amountsWithFees, type SettledAmounts } from '../../domain/orders/settlementRules.ts';
import type { Settlement } from '../../domain/venue.ts';
import { describeTerms } from '../../domain/describe.ts';
import { type EngineContext } from '../state/engineContext.ts';

/** Rounding tolerance: mint and protocol fee may each be rounded up by one unit of the venue's coarsest decimal. */
const ROUNDING = 2n * DUST;
const BPS_WHOLE = 10_000n;
/** Fractions of a basis point shown in rates. */
const BPS_PARTS = 100n;

/**
 * Compares the fees that the venue charges and states with the known ones and with `limits.feeBps`. A raised fee is
 * booked as the venue states it, reported, and reserved for from then on; one above the limit halts all trading.
 */
export class FeeCheck {
  readonly #context: EngineContext;
  /** Lower rates already reported by this process. */
  readonly #reported = new Set<string>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /**
   * Checks a report that has changed an order or was refused: `before` is the earlier order, `settlement` the reported
   * settlement.
   */
  settled(before: Order, settlement: Settlement): void {
    if (before.state.kind === 'closed' && before.state.settlement) return;
    const { state, terms } = this.#context.accountState.order(before.id);
    const isBooked = state.kind === 'closed' && state.settlement !== null;
    const taken = amountsWithFees(terms, settlement);
    if (taken.fees <= 0n || (!isBooked && !addsUp(terms, settlement))) return;
    const { feeBps } = this.#context.rules.limits;
    if (feeBps !== undefined && (taken.fees - ROUNDING) * BPS_WHOLE > taken.notional * BigInt(feeBps))
      this.#halt(`${describeTerms(terms)} took ${rateText(taken)}, over limits.feeBps of ${feeBps}`);
    if (isBooked) this.#compare(before, taken);
  }

  /** Checks the fees that `GET /config` states. */
  stated(schedule: FeeSchedule): void {
    const { feeBps } = this.#context.rules.limits;
    if (feeBps === undefined) return;
    for (const [side, bps] of Object.entries(bpsBySide(schedule)))
      if (bps > feeBps)
        return this.#halt(
          `the venue states fees of ${bps} bps for a ${side}, over limits.feeBps of ${feeBps}`,
        );
  }

  #halt(why: string): void {
    const halt = { cause: 'fees', scope: {} } as const;
    if (this.#context.accountState.trading.of(halt)) return;
    this.#context.record({ kind: 'restricted', state: 'halted', ...halt, by: 'drover', reason: why });
    this.#context.alarm(
      restrictionName(halt),
      `trading is halted: ${why}. Nothing more is placed; cancels are still sent. Look at the venue's fees (\`drover config fees\`): ` +
        'to continue with them, stop the run, raise limits.feeBps, `drover resume --reason TEXT`, start again',
      { code: 'FEES_TOO_HIGH' },
    );
  }

  /** Reports a fee that matches no known schedule. A higher one is journaled, so that later orders reserve for it. */
  #compare({ id, strategyId, terms: { side } }: Order, taken: SettledAmounts): void {
    const notional = cash(taken.notional);
    const known = feeSchedules(this.#context).map((schedule) => feeOf(side, notional, schedule));
    const [least, most] = [known.reduce(smaller), known.reduce(larger)];
    const isRisen = taken.fees > most + ROUNDING;
    if (!isRisen && taken.fees >= least - ROUNDING) return;
    const [bps, text] = [bpsOf(taken), `order ${id} took ${rateText(taken)}`];
    if (isRisen) {
      this.#context.record({ kind: 'feeTaken', id, side, bps });
      const expected = `${rateText({ ...taken, fees: most })} was the most that was known`;
      this.#context.notify(
        'alarm',
        `the venue's fees have risen: ${text}, ${expected}. It is booked as the venue states it, and reserves are made for it`,
        { code: 'FEES_RISEN', strategyId },
      );
    } else if (!this.#reported.has(`${side} ${bps}`)) {
      this.#reported.add(`${side} ${bps}`);
      const expected = `${rateText({ ...taken, fees: least })} was the least that was known`;
      this.#context.notify('info', `the venue's fees have fallen: ${text}, ${expected}`, strategyId);
    }
  }
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Fees in bps of the notional, rounded up to a fraction of one; 10,000 if nothing was executed. */
const bpsOf = ({ fees, notional }: SettledAmounts): number =>
  notional <= 0n
    ? Number(BPS_WHOLE)
    : Number((fees * BPS_WHOLE * BPS_PARTS + notional - 1n) / notional) / Number(BPS_PARTS);

/** Text such as `12 bps (0.12 of 100 mUSD)`. */
const rateText = (taken: SettledAmounts): string =>
  `${bpsOf(taken)} bps (${formatDecimal(taken.fees)} of ${formatDecimal(taken.notional)} mUSD)`;
