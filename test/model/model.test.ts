import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { campaign, differencesOf, run } from './campaign.ts';
import { dayEndOf, sessionAt } from './hours.ts';

const REQUESTS = 2500;

describe('the model of the venue, compared with the emulator', () => {
  it('accepts, refuses, locks and settles as the emulator does', { timeout: 60_000 }, () => {
    const { tally, differences } = campaign(REQUESTS, 1);
    expect(differences).toEqual([]);
    expect(tally.requests).toBeGreaterThanOrEqual(REQUESTS);
    // A run in which nothing trades would agree about nothing.
    for (const event of ['mined', 'reverted', 'Filled', 'Canceled', 'Expired'])
      expect(tally.events.get(event), event).toBeGreaterThan(10);
  });

  it('agrees with the emulator for random steps of any seed', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(run, (each) => {
        expect(differencesOf(each)).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });
});

describe('the trading hours of the model', () => {
  const at = (text: string) => Date.parse(text);

  it('name the phase across a week with a holiday and an early close', () => {
    expect(sessionAt(at('2026-06-15T13:29:59Z'))).toBe('pre');
    expect(sessionAt(at('2026-06-15T13:30:00Z'))).toBe('regular');
    expect(sessionAt(at('2026-06-15T20:00:00Z'))).toBe('post');
    expect(sessionAt(at('2026-06-16T00:00:00Z'))).toBe('overnight');
    expect(sessionAt(at('2026-06-19T15:00:00Z'))).toBe('closed');
    expect(sessionAt(at('2026-11-27T18:00:00Z'))).toBe('post');
    expect(sessionAt(at('2026-11-27T22:00:00Z'))).toBe('closed');
  });

  it('end a DAY order at the first close at or after its block', () => {
    expect(dayEndOf(at('2026-06-15T19:59:59Z'))).toBe(at('2026-06-15T20:00:00Z'));
    expect(dayEndOf(at('2026-06-15T20:00:00Z'))).toBe(at('2026-06-16T20:00:00Z'));
    expect(dayEndOf(at('2026-06-18T21:00:00Z'))).toBe(at('2026-06-22T20:00:00Z'));
    expect(dayEndOf(at('2026-11-26T15:00:00Z'))).toBe(at('2026-11-27T18:00:00Z'));
  });
});
