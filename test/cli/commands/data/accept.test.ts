import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';

let cwd = '';
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'drover-accept-'))));
afterEach(() => rmSync(cwd, { recursive: true }));

const data = (...argv: readonly string[]) => drover(['data', ...argv, '--data', 'store'], { cwd });
const bars = (closes: readonly number[]) =>
  [
    'ts,open,high,low,close,volume',
    ...closes.map((close, at) => `2021-01-${25 + at},${close},${close + 1},${close - 1},${close},10`),
  ].join('\n');
const importBars = async (closes: readonly number[], ...flags: readonly string[]) => {
  writeFileSync(join(cwd, 'a.csv'), bars(closes));
  await data('import', 'a.csv', '--symbol', 'GME', ...flags);
};

type Verified = Readonly<{
  errors: number;
  accepted: number;
  findings: readonly Readonly<{ id: string; what: string; accepted: { reason: string } | null }>[];
}>;
const verified = async () => JSON.parse((await data('verify', '--json')).out) as Verified;
const accept = (...flags: readonly string[]) => data('accept', 'GME', ...flags);
const backtest = () =>
  drover(
    ['backtest', '--strategy', 'dca', '--params', '{"symbol":"GME","notional":1000}', '--data', 'store'],
    { cwd },
  );

describe('an accepted finding', () => {
  test('is neither an error of verify nor a warning of a backtest, and is listed with reason and date', async () => {
    await importBars([100, 200, 201, 202]);
    const [finding] = (await verified()).findings;
    const id = finding?.id ?? '';
    expect((await data('verify')).out).toContain(`\`drover data accept GME --finding ${id} --reason TEXT\``);
    expect((await backtest()).err).toContain(`\`drover data accept GME --finding ${id} --reason TEXT\``);
    expect(await accept('--finding', id, '--reason', 'genuine: short squeeze')).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^GME 2021-01-26T14:30:00Z: the price goes from 100 to 200.*: accepted\n$/,
      ) as string,
    });
    expect(await verified()).toMatchObject({
      errors: 0,
      accepted: 1,
      findings: [{ id, accepted: { reason: 'genuine: short squeeze' } }],
    });
    const { code, out } = await data('verify');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^accepted {2}GME .*\n +"genuine: short squeeze", .*\n.*1 accepted\n$/,
      ) as string,
    });
    expect((await data('list')).out).toMatch(
      /GME: split of 2021-01-26 accepted .*, "genuine: short squeeze"\n$/,
    );
    expect((await backtest()).err).toBe('');
  });

  test('is open again when its numbers change, and after --undo', async () => {
    await importBars([100, 200, 201, 202]);
    await accept('--finding', '2021-01-26', '--reason', 'genuine');
    await importBars([100, 201, 202, 203], '--overwrite');
    expect(await verified()).toMatchObject({ errors: 1, accepted: 0 });
    await importBars([100, 200, 201, 202], '--overwrite');
    expect(await verified()).toMatchObject({ errors: 0, accepted: 1 });
    await accept('--finding', '2021-01-26', '--undo');
    expect(await verified()).toMatchObject({ errors: 1, accepted: 0 });
  });

  test.each<[string, readonly string[], RegExp]>([
    ['without a reason', ['--finding', '2021-01-26'], /why are the prices right\?.*--reason TEXT/],
    [
      'of an unknown finding',
      ['--finding', 'none', '--reason', 'x'],
      /open of GME are \w{8} \(split of 2021-01-26\)/,
    ],
    [
      'with --undo of a finding that was not accepted',
      ['--finding', '2021-01-26', '--undo'],
      /accepted of GME are no findings/,
    ],
  ])('data accept %s ends with exit 2', async (_name, flags, err) => {
    await importBars([100, 200, 201, 202]);
    expect(await accept(...flags)).toMatchObject({ code: 2, err: expect.stringMatching(err) as string });
  });
});
