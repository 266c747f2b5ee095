import { expect, test } from 'vitest';
import { ACTIONS, planOf } from './plan.ts';

const SHORT = Array.from({ length: 200 }, (_, index) => planOf(index + 1, { short: true }));
/** Minute of the day in New York at which a session opens. */
const OPEN = 9 * 60 + 30;

test('short runs include nights with every corporate action, and closures that are in no calendar', () => {
  const nights = SHORT.filter(({ sessions }) => sessions.length === 2);
  expect(new Set(nights.map(({ action }) => action))).toEqual(new Set(ACTIONS));
  expect(nights.length).toBeLessThan(SHORT.length / 40);
  const closed = SHORT.filter(({ closure }) => closure !== null);
  expect(closed.length).toBeGreaterThan(SHORT.length / 40);
});

test('a closure that is in no calendar lies within its run', () => {
  for (const { closure, sessions, start } of SHORT) {
    const [session] = sessions;
    if (closure === null || !session) continue;
    const [hours = 0, minutes = 0] = closure.split(':').map(Number);
    const at = session.open + (60 * hours + minutes - OPEN) * 60_000;
    expect(at).toBeGreaterThan(start);
    expect(at).toBeLessThan(session.close);
  }
});

test('short runs without faults have neither a corporate action nor a closure', () => {
  for (const seed of [13, 19])
    expect(planOf(seed, { faults: false, short: true })).toMatchObject({ action: null, closure: null });
});

test('a third of the nights has a corporate action, mostly a dividend in tokens if a node is used', () => {
  const nights = Array.from({ length: 200 }, (_, index) => planOf(index + 1, { nights: true }));
  const acting = nights.filter(({ action }) => action !== null);
  expect(new Set(acting.map(({ action }) => action))).toEqual(new Set(ACTIONS));
  expect(acting.length).toBeGreaterThan(40);
  expect(acting.length).toBeLessThan(90);
  const atNode = acting.filter(({ submission }) => submission !== 'one-click');
  const inTokens = atNode.filter(({ tokens }) => tokens !== null);
  expect(inTokens.length).toBeGreaterThan(atNode.length / 2);
  expect(planOf(5, { faults: false, nights: true })).toMatchObject({ action: null, tokens: null });
});
