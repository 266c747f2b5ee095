import { decimalsOf, toNumber, type Price } from '../../core/amount.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import { describeSynthetic } from '../../domain/describe.ts';
import {
  buyStopOf,
  childrenOf,
  filledBy,
  isTakeProfit,
  openChild,
  trailOf,
  type Child,
  type SyntheticState,
  type SyntheticTerms,
} from '../../domain/orders/syntheticOrder.ts';
import { txHashOf, type Order } from '../../domain/orders/order.ts';
import type { Side } from '../../domain/venue.ts';
import type { EngineContext } from '../../engine/state/engineContext.ts';
import { SyntheticInput } from '../../engine/synthetic/syntheticInput.ts';
import type { HeldOrderView } from './status.ts';

/** Orders held by the runner instead of the venue, oldest first. */
export function heldOrdersOf(context: EngineContext): HeldOrderView[] {
  const { live } = context.accountState.synthetics;
  return live.size === 0 ? [] : [...live.values()].map((state) => heldOrderView(state, context));
}

function heldOrderView(state: SyntheticState, context: EngineContext): HeldOrderView {
  const { order, takeProfit, secondTakeProfit, mark, exitAt, trigger } = state;
  const stop = buyStopOf(state) ?? state.stop;
  const { id, strategyId, symbol, terms, reason, tag = null, expires, notBefore, at } = order;
  return decimalsOf({
    id,
    strategy: strategyId,
    symbol,
    kind: terms.kind,
    text: describeSynthetic(order),
    ...phaseOf(state, context),
    protects: protects(state),
    placedAt: toIso(at),
    notBefore: notBefore > context.now ? toIso(notBefore) : null,
    stop,
    stopDistancePercent: distanceOf(stop, context.market.price(symbol)),
    price: context.market.price(symbol),
    takeProfit,
    secondTakeProfit,
    mark: trailOf(state) && mark,
    ...progressOf(state),
    until: isoOrNull(terms.kind === 'work' ? terms.until : null),
    expires: isoOrNull(expires),
    exitAt: isoOrNull(exitAt),
    triggered: trigger && { at: toIso(trigger.at), cause: trigger.cause, price: trigger.price },
    reason,
    tag,
    children: state.children.filter(({ ended }) => ended === null).map((child) => childView(child, context)),
  });
}

function childView({ id, leg, filled }: Child, { accountState }: EngineContext) {
  const order = accountState.open.of(id);
  const venueId = order && 'venueId' in order.state ? order.state.venueId : null;
  return { id, leg, filled, txHash: order ? txHashOf(order) : null, venueId };
}

const isoOrNull = (at: EpochMs | null | undefined): string | null =>
  at === null || at === undefined ? null : toIso(at);

/** True for an order that guards shares held by its strategy: without it, losses are unlimited. */
export function protects(state: SyntheticState): boolean {
  const { terms } = state.order;
  if (terms.kind === 'bracket') return filledBy(state, 'entry') > 0n;
  return terms.kind === 'stop' || terms.kind === 'trail' || terms.kind === 'oco';
}

/** Distance of a stop from the price, in percent of the price; null if either is unknown. */
function distanceOf(stop: Price | null, now: Price | null): number | null {
  if (stop === null || now === null || now === 0n) return null;
  return Number((((toNumber(stop) - toNumber(now)) / toNumber(now)) * 100).toFixed(2));
}

/** Filled amount of the total; for a bracket that of its entry and, once that has filled, of its exit. */
function progressOf(state: SyntheticState) {
  const { terms } = state.order;
  const bought = filledBy(state, 'entry');
  const isSelling = terms.kind === 'bracket' && bought > 0n;
  const children = state.children.filter(({ leg }) => !isSelling || leg !== 'entry');
  const sum = (of: (child: Child) => bigint) => children.reduce((total, child) => total + of(child), 0n);
  const asked = isSelling ? { asked: bought, askedNotional: null } : askedOf(terms);
  return { filled: sum((child) => child.filled), filledNotional: sum((child) => child.notional), ...asked };
}

function askedOf(terms: SyntheticTerms) {
  const size = terms.kind === 'bracket' ? terms.entry : terms.kind === 'work' ? terms.total : terms;
  if ('notional' in size) return { asked: null, askedNotional: size.notional };
  return { asked: size.quantity === 'all' ? null : size.quantity, askedNotional: null };
}

type Phase = Pick<HeldOrderView, 'state' | 'stateText' | 'suspended'>;

/** State in one word and in a sentence, and the reason why nothing can be sent for it at the moment. */
function phaseOf(state: SyntheticState, context: EngineContext): Phase {
  const phase = ownPhase(state, context);
  const suspended =
    phase.state === 'waiting' ? null : new SyntheticInput(context, state).pausedFor(sideOf(state));
  if (suspended === null) return { ...phase, suspended };
  return { state: 'suspended', stateText: `${phase.stateText}; it cannot send: ${suspended}`, suspended };
}

/** Side of the next order it sends. */
function sideOf(state: SyntheticState): Side {
  const { terms } = state.order;
  if (terms.kind === 'work' || terms.kind === 'stopBuy') return terms.side;
  return terms.kind === 'bracket' && !protects(state) ? 'buy' : 'sell';
}

function ownPhase(
  state: SyntheticState,
  { now, accountState }: EngineContext,
): Pick<Phase, 'state' | 'stateText'> {
  const { ending, trigger, order } = state;
  const open = state.children.find(({ ended }) => ended === null);
  if (ending) return { state: 'ending', stateText: `is being ended: ${ending.why}` };
  if (trigger) return triggeredPhase(state);
  if (now < order.notBefore) return { state: 'waiting', stateText: 'waits for its time' };
  if (order.terms.kind === 'work')
    return { state: 'working', stateText: open ? 'a slice is under way' : 'between two slices' };
  if (open && !isTakeProfit(open.leg)) return { state: 'working', stateText: `its ${open.leg} is under way` };
  if (order.terms.kind === 'bracket' && buyStopOf(state) !== null)
    return { state: 'armed', stateText: 'armed, buys at its stop' };
  if (!open) return { state: 'armed', stateText: 'armed' };
  return { state: 'armed', stateText: `armed, its take-profit ${restText(accountState.open.of(open.id))}` };
}

/** State of a resting child order. It may have none, for example between two sessions: a DAY order has ended. */
function restText(order: Order | undefined): string {
  if (order === undefined) return 'waits to be sent';
  return order.state.kind === 'working' ? 'rests at the venue' : 'is on its way';
}

function triggeredPhase(state: SyntheticState): Pick<Phase, 'state' | 'stateText'> {
  const why = state.trigger?.cause === 'time' ? 'its time is over' : 'its stop was touched';
  const resting = state.children.find(({ leg, ended }) => ended === null && isTakeProfit(leg));
  if (resting) return { state: 'cancelling', stateText: `${why}: its take-profit is being cancelled first` };
  const entry = openChild(state, 'entry');
  if (entry && state.order.terms.kind === 'bracket')
    return { state: 'cancelling', stateText: `${why}: its entry is being cancelled first` };
  if (entry ?? openChild(state, 'exit'))
    return { state: 'working', stateText: `${why}: its order is under way` };
  const tries = childrenOf(state, 'exit').length;
  return { state: 'triggered', stateText: tries === 0 ? why : `${why}: it is tried again (${tries} so far)` };
}
