/** @module-tag heavy */
import { expect, test } from 'vitest';
import { optimise } from '../../src/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import { averages, freshFile, walk } from './study/stage.ts';

const options = {
  strategy: averages,
  bars: [walk(400)],
  fill: 'next-open',
  space: { fast: [2, 5, 10], slow: { min: 20, max: 40, step: 10 } },
} as const;

test('optimise() searches, walks forward and gives the verdict', async () => {
  const result = await optimise({ ...options, walkForward: '150d/50d' });
  expect(result).toMatchObject({ trials: 9, failed: 0, objective: 'sharpe', method: 'grid' });
  expect(result.windows).toHaveLength(5);
  expect(result.best?.outOfSample?.totalReturn).toEqual(expect.any(Number));
  expect(['yes', 'unclear', 'no']).toContain(result.believe.verdict);
  expect(result.believe.why[0]).toMatch(/^(Yes|Unclear|No): /);
});

test("optimise() without a space searches the strategy's schema, and can keep and resume a study", async () => {
  const { space: _space, ...rest } = options;
  const study = freshFile();
  const given = {
    ...rest,
    method: 'sobol',
    trials: 12,
    accepts: ({ fast }: Readonly<Record<string, unknown>>) => fast !== 7,
    study,
  } as const;
  const result = await optimise({ ...given, params: { throws: -1 } });
  expect(result).toMatchObject({ trials: 12, study });
  await expect(optimise({ ...given, params: { throws: -1 } })).rejects.toThrow('already holds this study');
  const numbers: number[] = [];
  const more = await optimise({
    ...given,
    params: { throws: -1 },
    trials: 15,
    resume: true,
    onTrial: ({ number }) => numbers.push(number),
  });
  expect(more.trials).toBe(15);
  expect(numbers).toHaveLength(15);
});

test('optimise() measures holding by the traded stocks, whatever else the runs are compared with', async () => {
  const small = { ...options, space: { fast: [2, 5], slow: [20] } };
  const spy = { ...walk(400, 2), symbol: 'SPY' };
  const beside = await optimise({ ...small, bars: [walk(400), spy], benchmark: 'SPY' });
  const alone = await optimise(small);
  expect(beside.comparison).toEqual(alone.comparison);
  expect(beside.believe.randomEntries).toBe(alone.believe.randomEntries);
});

test('optimise() gives no result if a strategy file keeps state from one trial to the next', async () => {
  let made = 0;
  const strategy = defineStrategy({
    name: 'keeping',
    description: 'of a test',
    params: averages.params,
    data: averages.data,
    create() {
      made++;
      return { onBar: ({ order }) => order.target('X', { weight: made / 100 }, 'more each time') };
    },
  });
  await expect(optimise({ ...options, strategy })).rejects.toThrow(
    'the trial of {"fast":10,"slow":40} gives another result when repeated',
  );
});
