import { formatDecimal, type Price } from '../../core/amount.ts';
import {
  buyStopOf,
  filledBy,
  type SyntheticEvent,
  type SyntheticState,
  type SyntheticTerms,
} from '../../domain/orders/syntheticOrder.ts';
import type { ExitChange } from '../../strategy/orderTerms.ts';
import { refuse } from '../intents/refusal.ts';
import { toTickPrice } from '../intents/terms.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { averageEntry, stopOf, type BracketTerms } from './bracket.ts';
import {
  distanceOf,
  fixedOf,
  referenceOf,
  requireLegs,
  requireReach,
  requireRising,
  requireSide,
  type ExitInput,
} from './exitTerms.ts';
import { belowBy } from './levels.ts';
import { partOf } from './syntheticInput.ts';

type AdjustmentEvent = Extract<SyntheticEvent, { kind: 'adjusted' }>;
type MarketInput = Pick<ExitInput, 'instrument' | 'price'>;
type ExitTerms = Readonly<{ terms: SyntheticTerms; stop: Price | null }>;

/**
 * Synthetic order of the strategy whose exits may be moved now.
 * @throws {OrderRefusal} for an unknown id, and for an order that was triggered or is ending
 */
export function adjustable({ accountState }: EngineContext, strategyId: string, id: string): SyntheticState {
  const state = accountState.synthetics.live.get(id);
  if (state?.order.strategyId !== strategyId || state.order.terms.kind === 'work')
    return refuse('NOT_OPEN', `the bot holds no exit with the id ${JSON.stringify(id)}: nothing was changed`);
  if (state.trigger) refuse('NOT_OPEN', `${id} was touched already: nothing was changed`);
  return state.ending ? refuse('NOT_OPEN', `${id} is being ended: nothing was changed`) : state;
}

/**
 * Event that moves the exits of a synthetic order.
 * @throws {OrderRefusal} for a price on the wrong side, and for an exit that the order does not have
 */
export function adjustmentOf(state: SyntheticState, change: ExitChange, at: MarketInput): AdjustmentEvent {
  const what = `order.adjust of ${at.instrument.symbol}`;
  const { terms, stop } = stopMoved(state, change, at);
  const takeProfit = change.takeProfit === undefined ? null : priceOf(change.takeProfit, 'takeProfit', at);
  const reference =
    terms.kind === 'bracket' && averageEntry(state) === null
      ? referenceOf(terms.entry, at)
      : ({ price: at.price, of: 'price' } as const);
  const side = terms.kind === 'stopBuy' ? 'buy' : 'sell';
  const isStopMoved = change.stop !== undefined || change.trail !== undefined;
  if (isStopMoved && stop !== null) requireSide(what, side, { stop, ...reference });
  const second =
    change.secondTakeProfit === undefined ? null : priceOf(change.secondTakeProfit, 'secondTakeProfit', at);
  requireLegs(what, { takeProfit, stop: null }, reference);
  requireLegs(what, { takeProfit: second, stop: null }, reference);
  const moved = takeProfit === null ? terms : withTakeProfit(terms, takeProfit);
  const after = second === null ? moved : withSecond(moved, second);
  const highest =
    after.kind === 'oco' ? after.price : after.kind === 'bracket' ? fixedOf(after.takeProfit) : null;
  const isFilled = after.kind === 'bracket' && averageEntry(state) !== null;
  const inForce = takeProfit !== null && (after.kind === 'oco' || isFilled) ? takeProfit : state.takeProfit;
  const secondInForce = (isFilled ? second : null) ?? state.secondTakeProfit;
  const isFirstSold = hasSoldFirst(state, at);
  const nearest = isFirstSold ? secondInForce : (inForce ?? highest);
  requireLegs(what, { takeProfit: nearest, stop }, { price: null, of: 'price' });
  const isLegMoved = takeProfit !== null || second !== null;
  if (after.kind === 'bracket' && after.second && isLegMoved && !isFirstSold) {
    const levels = [inForce, secondInForce].map((price) => price && { price });
    requireRising(
      what,
      levels[0] ?? after.takeProfit ?? after.second.takeProfit,
      levels[1] ?? after.second.takeProfit,
    );
  }
  if (after.kind === 'stop' || after.kind === 'oco') requireReach(what, after.stop, after.limit);
  const isAwaited = after.kind === 'bracket' && buyStopOf(state) !== null;
  const event = {
    kind: 'adjusted',
    terms: after,
    takeProfit: inForce,
    stop: isAwaited ? null : stop,
    mark: state.mark,
  } as const;
  return { ...event, ...(secondInForce === null ? {} : { secondTakeProfit: secondInForce }) };
}

/** True once the first of two take-profits has sold its share. */
function hasSoldFirst(state: SyntheticState, { instrument }: MarketInput): boolean {
  const { terms } = state.order;
  const sold = filledBy(state, 'take profit');
  if (terms.kind !== 'bracket' || !terms.second || sold === 0n) return false;
  return sold >= partOf(filledBy(state, 'entry'), terms.second.firstShare, instrument);
}

const priceOf = (value: NonNullable<ExitChange['stop']>, name: string, { instrument }: MarketInput): Price =>
  toTickPrice(value, { side: 'sell', instrument, of: `${name} of order.adjust` });

const lacks = (state: SyntheticState, what: string): never =>
  refuse('NOT_OPEN', `${state.order.id} has no ${what}: nothing was changed`);

function withTakeProfit(terms: SyntheticTerms, price: Price): SyntheticTerms {
  if (terms.kind === 'oco') return { ...terms, price };
  if (terms.kind === 'bracket' && terms.takeProfit !== null) return { ...terms, takeProfit: { price } };
  return refuse('NOT_OPEN', 'it has no take-profit: nothing was changed');
}

function withSecond(terms: SyntheticTerms, price: Price): SyntheticTerms {
  if (terms.kind === 'bracket' && terms.second)
    return { ...terms, second: { ...terms.second, takeProfit: { price } } };
  return refuse('NOT_OPEN', 'it has no second take-profit: nothing was changed');
}

function stopMoved(state: SyntheticState, change: ExitChange, at: MarketInput): ExitTerms {
  const { terms } = state.order;
  if (terms.kind === 'trail' || (terms.kind === 'bracket' && terms.stopLoss && 'trail' in terms.stopLoss))
    return trailMoved(state, change, at);
  if (change.trail !== undefined) return lacks(state, 'trailing stop');
  if (change.stop === undefined) return { terms, stop: state.stop };
  const side = terms.kind === 'stopBuy' ? 'buy' : 'sell';
  const { instrument } = at;
  const stop = toTickPrice(change.stop, { side, instrument, of: 'stop of order.adjust' });
  if (terms.kind !== 'bracket') return { terms: { ...terms, stop } as SyntheticTerms, stop };
  if (terms.stopLoss === null) return lacks(state, 'stop');
  return { terms: { ...terms, stopLoss: { price: stop } }, stop };
}

/** Moves a trailing stop: changes its distance from the highest price, or raises it. */
function trailMoved(state: SyntheticState, change: ExitChange, at: MarketInput): ExitTerms {
  const distance = change.trail && distanceOf(change.trail, at);
  const { terms, stop } = distance
    ? withDistance(state, distance)
    : { terms: state.order.terms, stop: state.stop };
  if (change.stop === undefined) return { terms, stop };
  const raised = priceOf(change.stop, 'stop', at);
  if (stop === null) return lacks(state, 'stop until its entry has filled');
  if (raised < stop)
    refuse(
      'WRONG_SIDE',
      `a trailing stop only rises, and ${formatDecimal(raised)} is below its present ${formatDecimal(stop)}. Give it a wider trail`,
    );
  return { terms, stop: raised };
}

function withDistance(state: SyntheticState, trail: ReturnType<typeof distanceOf>): ExitTerms {
  const {
    order: { terms },
    mark,
    dividends,
  } = state;
  if (terms.kind !== 'bracket') {
    const stop = mark === null ? null : belowBy(mark, trail);
    return { terms: { ...terms, by: trail } as SyntheticTerms, stop };
  }
  const after: BracketTerms = { ...terms, stopLoss: { ...terms.stopLoss, trail } };
  const average = averageEntry(state);
  const begun = { mark, stop: null, ...(dividends && { dividends }) };
  return { terms: after, stop: average === null ? null : stopOf(begun, after, average) };
}
