import { describe, expect, test } from 'vitest';
import { parsePrice, parseShares } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import type { SyntheticEvent } from '../../src/domain/orders/syntheticOrder.ts';
import { ExitWatch, type Look } from './exitWatch.ts';
import { HeldOrders } from './heldOrders.ts';
import { noneYet } from './sometimes.ts';

const KO = ticker('KO');
const MINUTE = 60_000;

const PLACED: JournalEvent = {
  kind: 'syntheticPlaced',
  order: {
    id: 'a-1',
    strategyId: 'a',
    symbol: KO,
    terms: { kind: 'stop', side: 'sell', quantity: parseShares('3'), stop: parsePrice('60'), limit: null },
    reason: '',
    at: epochMs(0),
    notBefore: epochMs(0),
  },
};
const moved = (event: SyntheticEvent): JournalEvent => ({ kind: 'syntheticMoved', id: 'a-1', event });
const TRIGGERED = moved({ kind: 'triggered', cause: 'stop', price: parsePrice('59') });
const CANCELLED = moved({ kind: 'ending', how: 'cancelled', why: 'asked for by the strategy' });
const SENT = [
  { kind: 'intentCreated', intent: { id: 'a-2', parent: { id: 'a-1', leg: 'exit' }, terms: {} } },
  { kind: 'planned', order: { id: 'a-2.1', intentId: 'a-2' } },
  { kind: 'order', id: 'a-2.1', event: { kind: 'sent', at: 0, deadline: 90 } },
] as unknown as readonly JournalEvent[];

/** Findings of a watch that looks every minute for ten, at a price below the stop, after these entries. */
function findings(facts: readonly JournalEvent[], more: Partial<Look> = {}): readonly string[] {
  const found: string[] = [];
  const accuse = (detail: string) => found.push(detail);
  const held = new HeldOrders({ accuse, sometimes: noneYet(), isUnsure: () => false });
  const watch = new ExitWatch(held, accuse);
  for (const fact of facts) held.read({ at: epochMs(0), fact });
  for (let minute = 0; minute < 10; minute++)
    watch.look({
      now: epochMs(minute * MINUTE),
      isTrading: () => true,
      priceOf: () => parsePrice('59'),
      isHeldBack: () => false,
      restricted: [],
      ...more,
    });
  return [...new Set(found)];
}

describe('an exit for which nothing is sent in time', () => {
  test.each([
    ['after its trigger', [PLACED, TRIGGERED]],
    ['after an unnoticed touch of its stop', [PLACED]],
  ])('is reported %s', (_what, facts) => {
    expect(findings(facts)).toEqual([expect.stringMatching(/^a-1 of KO should have sold, nothing was sent/)]);
  });
});

describe('an exit that has nothing to send', () => {
  test.each([
    ['above its stop', [PLACED], { priceOf: () => parsePrice('61') }],
    ['once its sale has been sent', [PLACED, TRIGGERED, ...SENT], {}],
    ['while its strategy has cancelled it, and its legs end', [PLACED, TRIGGERED, CANCELLED], {}],
    ['while its stock is held back', [PLACED, TRIGGERED], { isHeldBack: () => true }],
    ['while its stock is restricted', [PLACED, TRIGGERED], { restricted: [{ symbol: KO }] }],
    ['outside its phases', [PLACED, TRIGGERED], { isTrading: () => false }],
  ])('is not reported %s', (_what, facts, more) => {
    expect(findings(facts, more)).toEqual([]);
  });
});
