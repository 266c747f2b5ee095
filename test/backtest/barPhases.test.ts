import { describe, expect, test } from 'vitest';
import type { DataNeeds, QuotePhase, StrategyHooks } from '../../src/strategy/index.ts';
import { barsOfDays, PHASES, playPhases, wallTime, type PhaseRun } from './phaseStage.ts';

const needs = (...phases: QuotePhase[]): DataNeeds => ({
  bars: [{ symbol: 'X', interval: '15m', phases, warmUp: 2 }],
});

/** Starts and closes of the bars that a strategy is shown, each with the length of its history at that time. */
async function shownTo(data: DataNeeds, more: Partial<PhaseRun> = {}): Promise<string[]> {
  const shown: string[] = [];
  const hooks: StrategyHooks = {
    onBar: ({ bar, view }) =>
      void shown.push(`${wallTime(bar.start)} ${bar.close}, ${view.bars('X', bar.interval).length}`),
  };
  const prices = {
    '2026-03-06 03:45': [100, 104, 96, 103],
    '2026-03-06 16:00': [100, 100, 99, 99],
  } as const;
  await playPhases({ days: ['2026-03-05', '2026-03-06'], prices, acts: {}, needs: data, hooks, ...more });
  return shown;
}

describe('bars of phases that a strategy names, in a backtest', () => {
  test('are those of these phases only, one series across nights', async () => {
    const shown = await shownTo(needs('post', 'overnight'));
    // Two days of 32 bars overnight and 16 after the close.
    expect(shown).toHaveLength(96);
    expect(shown[0]).toBe('2026-03-04 20:00 100, 1');
    expect(shown).toContain('2026-03-06 03:45 103, 80');
    expect(shown[80]).toBe('2026-03-06 16:00 99, 81');
  });

  test('include the session if it is named', async () => {
    const shown = await shownTo(needs('regular', 'post'));
    expect(shown).toHaveLength(2 * (26 + 16));
    expect(shown.slice(25, 27)).toEqual(['2026-03-05 15:45 100, 26', '2026-03-05 16:00 100, 27']);
  });

  test('include the session bars another strategy sees, even if its prices come from shorter bars', async () => {
    const days = ['2026-03-05', '2026-03-05'] as const;
    const { regular, outside } = barsOfDays(...days, {});
    const at101 = new Float64Array(regular.start.length).fill(101);
    const stored = { ...regular, open: at101, high: at101, low: at101, close: at101 };
    const options = {
      bars: [
        { symbol: 'X', interval: '15m', ...stored },
        { symbol: 'X', interval: '5m', ...regular },
      ],
      outside: { trade: PHASES, bars: [{ symbol: 'X', interval: '5m', ...outside }] },
    } as const;
    const shown = await shownTo(needs('regular', 'post'), { days, options });
    expect(shown.slice(25, 27)).toEqual(['2026-03-05 15:45 101, 26', '2026-03-05 16:00 100, 27']);
  });

  test('are not shown to a strategy that asks for bars of the session', async () => {
    expect(await shownTo({ bars: [{ symbol: 'X', interval: '15m' }] })).toHaveLength(52);
  });

  test('reach back into the phases before the start for the warm-up', async () => {
    const warm = await shownTo(needs('overnight', 'pre'), {
      options: { from: Date.parse('2026-03-06T05:00:00Z') as never },
    });
    expect(warm.slice(0, 3)).toEqual([
      '2026-03-05 23:30 100, 1',
      '2026-03-05 23:45 100, 2',
      '2026-03-06 00:00 100, 3',
    ]);
  });

  test('reach `onBars` once, and so do those of the session alone', async () => {
    const seen: string[] = [];
    const hooks: StrategyHooks = {
      onBars: ({ bars }) => void seen.push(bars.map(({ start }) => wallTime(start)).join(' ')),
    };
    const run = { days: ['2026-03-05', '2026-03-05'], acts: {}, hooks } as const;
    await playPhases({ ...run, needs: needs(...PHASES) });
    expect([seen.length, new Set(seen).size]).toEqual([96, 96]);
    seen.length = 0;
    await playPhases({ ...run, needs: { bars: [{ symbol: 'X', interval: '15m' }] } });
    expect(seen).toHaveLength(26);
  });

  test('of phases that are not played are refused, and the error says what they need', async () => {
    await expect(shownTo(needs('post'), { trade: ['regular', 'overnight'] })).rejects.toThrow(
      /asks for bars of X 15m in post, and no bar of those phases is played.*--trade/,
    );
  });

  test('longer than a quarter of an hour are refused', async () => {
    const bars = [{ symbol: 'X', interval: '1h', phases: ['post'] }] as const;
    await expect(shownTo({ bars })).rejects.toThrow(/with phases an interval is at most 15m/);
  });
});
