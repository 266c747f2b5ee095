import { expect, test } from 'vitest';
import { pageOf } from './pageOf.ts';
import { blockOf } from './reading.ts';
import { plainRecord } from './records.ts';

const recorded = (equities: readonly number[]) => {
  const marks = plainRecord(equities.length).marks.map((mark, day) => ({
    ...mark,
    equity: equities[day] ?? NaN,
  }));
  return pageOf(plainRecord(equities.length, { marks }));
};

test('the summary states the change of equity by trading, without deposits', () => {
  const marks = plainRecord(2).marks.map((mark, day) =>
    day === 0
      ? { ...mark, equity: 1050 }
      : { ...mark, equity: 10_150, flow: 9000, flowEquities: [{ before: 1100, after: 10_100 }] },
  );
  const totals = { ...plainRecord(2).totals, equity: { start: '1000', end: '10150' } };
  // 1000 to 1100, and after 9000 came 10100 to 10150.
  const percent = ((1.1 * 10_150) / 10_100 - 1) * 100;
  const page = pageOf(plainRecord(2, { marks, totals }));
  expect(page).toContain(
    `From 1,000.00 to 10,150.00 mUSD, with deposits and withdrawals (+${percent.toFixed(2)}`,
  );
  expect(recorded([1050, 1100])).toContain('From 1,000.00 to 1,100.00 mUSD (+10.00');
});

const pathOf = (page: string, id: string, style: string) =>
  new RegExp(`<figure [^>]*id="${id}".*?<path class="${style}[^"]*" d="([^"]*)"`, 's').exec(page)?.[1];

test('equity and drawdown begin before the first close, so that a loss in the first session is seen', () => {
  const page = recorded([900, 950, 1000]);
  expect(blockOf(page, 'equity')).toMatchObject({
    opening: 'Start',
    columns: [{ values: [1000, 900, 950, 1000] }],
  });
  expect(pathOf(page, 'equity', 'line s1')).toMatch(/^M0 0L0\.5 1000L1\.5 500L2\.5 0$/);
  expect(blockOf(page, 'drawdown')).toMatchObject({
    opening: 'Start',
    columns: [{ values: [0, -0.1, -0.05, 0] }],
  });
});

const shadesOf = (page: string) =>
  [...page.matchAll(/class="fill shade (\w+)" d="M([\d.]+) 0H([\d.]+)V/g)].map(
    ([, style, from, to]) => `${style} ${from} ${to}`,
  );

test('the five deepest drawdowns are shaded from peak to trough, and on to recovery', () => {
  const falls = [5, 1, 2, 3, 4, 6];
  const page = recorded(falls.flatMap((fall) => [1000, 1000 - 10 * fall, 1000]));
  expect(shadesOf(page)).toEqual(
    [15, 0, 12, 9, 6].flatMap((day) => [`loss ${day}.5 ${day + 1}.5`, `quiet ${day + 1}.5 ${day + 2}.5`]),
  );
  expect(page).toContain('</i>falls of the 5 deepest drawdowns</li>');
  expect(page).toContain('<h3>The 6 deepest drawdowns</h3>');
});

test('a single drawdown is named as the only one, and has no recovery while it lasts', () => {
  const page = recorded([990, 980]);
  expect(page).toContain('<h3>The only drawdown</h3>');
  expect(shadesOf(page)).toEqual(['loss 0 1.5']);
});

test('a logarithmic scale is offered while every value is above 0', () => {
  expect(recorded([1000, 900])).toContain('data-log aria');
  expect(recorded([1000, -5])).not.toContain('data-log aria');
});
