import { describe, expect, test } from 'vitest';
import { cash, parseCash, parseShares } from '../../../src/core/amount.ts';
import { epochSeconds } from '../../../src/core/brand.ts';
import {
  filledOf,
  hasEnded,
  isUnanswered,
  quantityOf,
  txHashOf,
  type CancelState,
  reserveFor,
  type OrderEvent,
} from '../../../src/domain/orders/order.ts';
import { transition } from '../../../src/domain/orders/orderMachine.ts';
import {
  anOrder,
  DEADLINE,
  limitBuy,
  limitSell,
  marketBuy,
  marketSell,
  SENT,
  settled,
  states,
  TX,
  type StateName,
} from '../orders.ts';

describe('the cancel of an order', () => {
  const wanted: CancelState = { kind: 'wanted' };
  const sent: CancelState = { kind: 'sent', deadline: DEADLINE };
  const unknown: CancelState = { kind: 'unknown', deadline: DEADLINE };
  const accepted: CancelState = { kind: 'accepted', txHash: '0xdd', deadline: DEADLINE };
  const refused: CancelState = { kind: 'refused', reason: 'canceling', at: SENT };
  const none: CancelState = { kind: 'none' };
  const later = epochSeconds(DEADLINE + 60);

  test.each<[name: string, from: CancelState, event: OrderEvent, to: CancelState | 'stale' | 'illegal']>([
    ['is requested once', none, { kind: 'cancelWanted' }, wanted],
    ['requested again before it is sent changes nothing', wanted, { kind: 'cancelWanted' }, 'stale'],
    ['requested again while it is sent changes nothing', sent, { kind: 'cancelWanted' }, 'stale'],
    ['may be requested again when its response was lost', unknown, { kind: 'cancelWanted' }, wanted],
    ['may be requested again when it had no effect', accepted, { kind: 'cancelWanted' }, wanted],
    ['may be requested again when it was refused', refused, { kind: 'cancelWanted' }, wanted],
    [
      'is sent when it is requested',
      wanted,
      { kind: 'cancelSent', deadline: later },
      { ...sent, deadline: later },
    ],
    ['is not sent unless it is requested', none, { kind: 'cancelSent', deadline: later }, 'illegal'],
    ['is not sent twice', sent, { kind: 'cancelSent', deadline: later }, 'illegal'],
    ['is not sent while its response is lost', unknown, { kind: 'cancelSent', deadline: later }, 'illegal'],
    ['is accepted', sent, { kind: 'cancelAccepted', txHash: '0xdd' }, accepted],
    ['is accepted in the end', unknown, { kind: 'cancelAccepted', txHash: '0xdd' }, accepted],
    ['is not accepted before it is sent', wanted, { kind: 'cancelAccepted', txHash: '0xdd' }, 'illegal'],
    ['is refused', sent, { kind: 'cancelRefused', reason: 'canceling', at: SENT }, refused],
    ['becomes unknown when its response is lost', sent, { kind: 'cancelLost' }, unknown],
    ['does not become unknown once it has a response', accepted, { kind: 'cancelLost' }, 'stale'],
  ])('%s', (...[, cancel, event, to]) => {
    const result = transition(anOrder({ state: states.working, cancel }), event);
    expect(result.kind === 'moved' ? result.order.cancel : result.kind).toEqual(to);
    if (result.kind === 'moved') expect(result.order.state).toEqual(states.working);
  });

  test('that lapses with its phase stays marked until its strategy also cancels it', () => {
    const lapse: OrderEvent = { kind: 'cancelWanted', lapse: true };
    const working = anOrder({ state: states.working });
    const lapsed = transition({ ...working, until: SENT }, lapse);
    expect(lapsed).toMatchObject({ kind: 'moved', order: { lapsed: true, cancel: wanted } });
    if (lapsed.kind !== 'moved') return;
    expect(transition(lapsed.order, lapse)).toEqual({ kind: 'stale' });
    const meant = transition(lapsed.order, { kind: 'cancelWanted' });
    expect(meant).toMatchObject({ kind: 'moved', order: { until: SENT, cancel: wanted } });
    expect(meant).not.toHaveProperty('order.lapsed');
    const refusedLapse = { ...lapsed.order, cancel: refused };
    expect(transition(refusedLapse, lapse)).toMatchObject({ order: { lapsed: true, cancel: wanted } });
  });

  test.each(['closed', 'refused', 'reverted', 'neverExisted', 'abandoned'] as const)(
    'does nothing for an order that is %s',
    (name) => {
      for (const cancel of [none, wanted, sent, unknown])
        for (const kind of ['cancelWanted', 'cancelLost'] as const)
          expect(transition(anOrder({ state: states[name], cancel }), { kind }).kind).toBe('stale');
    },
  );
});

describe('queries on an order', () => {
  test.each<[StateName, ended: boolean, unanswered: boolean, txHash: string | null]>([
    ['planned', false, false, null],
    ['sent', false, true, null],
    ['unknown', false, true, null],
    ['acknowledged', false, false, TX],
    ['working', false, false, TX],
    ['closed', true, false, TX],
    ['refused', true, false, null],
    ['reverted', true, false, TX],
    ['neverExisted', true, false, null],
    ['vanished', true, false, TX],
    ['abandoned', true, false, null],
  ])('show end, unknown outcome and transaction hash of an order that is %s', (name, ...expected) => {
    const order = anOrder({ state: states[name] });
    expect([hasEnded(order), isUnanswered(order), txHashOf(order)]).toEqual(expected);
  });

  test('give as filled the shares received by a buy or paid by a sell, once it is closed', () => {
    const closed = { ...states.closed, settlement: settled('7', '3') };
    expect(filledOf(anOrder({ state: closed }))).toBe(parseShares('3'));
    expect(filledOf(anOrder({ state: closed, terms: marketSell('7') }))).toBe(parseShares('7'));
    expect(filledOf(anOrder({ state: { ...closed, settlement: null } }))).toBe(0n);
    expect(filledOf(anOrder({ state: states.working }))).toBe(0n);
  });

  test('give as quantity of a buy by notional the shares it buys at the price', () => {
    const sharesAt = () => parseShares('4');
    expect(quantityOf(anOrder({ terms: marketBuy('400') }), sharesAt)).toBe(parseShares('4'));
    expect(quantityOf(anOrder(), sharesAt)).toBe(parseShares('10'));
  });

  test.each([
    ['a market buy: notional and fees', marketBuy('100'), '100.11'],
    ['a limit buy: quantity at its price and fees', limitBuy('10', '100'), '1000.11'],
    ['a market sell: its shares', marketSell('7'), '7'],
    ['a limit sell: its shares', limitSell('7', '100'), '7'],
  ])('reserve for %s', (_name, terms, reserve) => {
    expect(reserveFor(terms, (notional) => cash(notional + parseCash('0.11')))).toBe(parseCash(reserve));
  });
});
