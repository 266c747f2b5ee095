import {
  price as asPrice,
  shares,
  toNumber,
  wadFromNumber,
  type Price,
  type Shares,
} from '../core/amount.ts';
import { toIso, epochMs } from '../core/brand.ts';
import { InvalidValueError, messageOf, StrategyError } from '../core/errors.ts';
import { fillOnTick } from '../sim/matching.ts';
import { noWorse } from './restingOrder.ts';
import type { FillAnswer, FillDefinition, FillQuestion } from '../strategy/fills.ts';
import { tickOf } from '../domain/instrument.ts';

/** Fill model of a user, given in place of a built-in one. */
export type UserFill = FillDefinition &
  Readonly<{
    /** Hash of its code, for the identity of the run. Default: the source of its function. */
    codeHash?: string;
    /** Place of its function, `file:line:column`. */
    place?: string;
    /** Formats an error that its code threw. */
    explain?: (thrown: unknown) => string;
  }>;

type Question = Omit<FillQuestion, 'order' | 'tick'> &
  Readonly<{
    order: Omit<FillQuestion['order'], 'shares' | 'limit'> &
      Readonly<{ limit: Price | null; shares: Shares }>;
    /** True if `volume` is a cap. */
    isCapped: boolean;
  }>;

/** Fill by a model; `shares` is null for all remaining shares of the order. */
export type OwnOffer = Readonly<{ price: Price; shares: Shares | null }>;

/** Relative float64 rounding error by which the answer of a model may lie outside the bar. */
const ROUNDING = 1e-12;

/** Fill model of a user, called with checks of its answers. */
export class OwnFill {
  readonly #model: UserFill;

  constructor(model: UserFill) {
    this.#model = model;
  }

  get name(): string {
    return this.#model.name;
  }

  /** Identity: name and code. */
  toJSON(): object {
    const { name, codeHash, fill } = this.#model;
    return { name, code: codeHash ?? String(fill) };
  }

  /** @throws {StrategyError} for an error of the model, and for an answer that no market gives */
  offer({ isCapped, order, ...moment }: Question): OwnOffer | null {
    const { limit, shares: rest } = order;
    const tick = toNumber(tickOf(asPrice(wadFromNumber(moment.quote.price))));
    const asked: FillQuestion = Object.freeze({
      ...moment,
      order: Object.freeze({ ...order, limit: limit && toNumber(limit), shares: toNumber(rest) }),
      bar: Object.freeze(moment.bar),
      quote: Object.freeze(moment.quote),
      tick,
    });
    const answer = this.#answer(asked);
    const again = this.#answer(asked);
    if (!Object.is(answer?.price, again?.price) || !Object.is(answer?.shares, again?.shares))
      throw this.#wrong(asked, 'gave two answers to the same question', 'Keep no state between calls');
    if (answer === null) return null;
    this.#check(asked, answer, isCapped);
    const price = noWorse(fillOnTick(asPrice(wadFromNumber(answer.price)), order.side), order);
    const isAll = answer.shares >= asked.order.shares;
    return { price, shares: isAll ? null : shares(wadFromNumber(answer.shares)) };
  }

  /** Answer as plain numbers. Each field is read once, because the user's code may change it between two reads. */
  #answer(asked: FillQuestion): FillAnswer {
    const { fill, explain = messageOf } = this.#model;
    let answer: unknown;
    try {
      answer = fill(asked);
    } catch (thrown) {
      const why = explain(thrown);
      throw new StrategyError(`${why} (thrown by the fill model ${this.name} for ${orderText(asked)})`);
    }
    if (answer === null) return null;
    const { price, shares: count } = (typeof answer === 'object' ? answer : {}) as Record<string, unknown>;
    if (typeof price === 'number' && typeof count === 'number') return { price, shares: count };
    const what = answer === undefined ? 'undefined' : 'something else';
    throw this.#wrong(asked, `gave ${what}`, 'Give { price, shares } as numbers, or null for no fill');
  }

  #check(asked: FillQuestion, { price, shares: count }: NonNullable<FillAnswer>, isCapped: boolean): void {
    const { order, bar, volume } = asked;
    const { low, high } = bar;
    if (!(price >= low * (1 - ROUNDING) && price <= high * (1 + ROUNDING)))
      throw this.#wrong(
        asked,
        `gave a price of ${price}`,
        `Give one within the bar, from ${low} to ${high}, or null for no fill`,
      );
    const { limit, side } = order;
    if (limit !== null && (side === 'buy' ? price > limit : price < limit))
      throw this.#wrong(asked, `gave a price of ${price}`, `Give a price no worse than its limit, or null`);
    const most = isCapped ? Math.min(order.shares, volume) : order.shares;
    if (!(count > 0 && count <= most))
      throw this.#wrong(
        asked,
        `gave ${count} shares`,
        `Give more than 0 and at most ${most}, ${most < order.shares ? 'which the volume cap leaves of the bar' : 'which is the rest of the order'}, or null for no fill`,
      );
  }

  #wrong(asked: FillQuestion, what: string, remedy: string): StrategyError {
    const { place, name } = this.#model;
    const where = place === undefined ? '' : `${place}: `;
    return new StrategyError(`${where}the fill model ${name} ${what} for ${orderText(asked)}. ${remedy}`);
  }
}

const orderText = ({ order: { side, shares: count, symbol, limit }, bar, moment }: FillQuestion): string =>
  `the order to ${side} ${Number(count.toFixed(6))} ${symbol}${limit === null ? '' : ` at ${limit}`}, ` +
  `${moment === 'within' ? 'within' : `at the ${moment} of`} the ${bar.interval} bar of ${toIso(epochMs(bar.start))}`;

/** @throws {InvalidValueError} for anything but a fill model */
export function requireFill(exported: unknown): asserts exported is FillDefinition {
  const { name, fill } = (typeof exported === 'object' && exported !== null ? exported : {}) as Record<
    string,
    unknown
  >;
  if (typeof name !== 'string' || name === '' || typeof fill !== 'function')
    throw new InvalidValueError(
      'the default export is not a fill model. Write `export default defineFill({ name, fill: ({ order, quote }) => ({ price: quote.price, shares: order.shares }) })`',
    );
}
