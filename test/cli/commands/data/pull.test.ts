import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ticker } from '../../../../src/domain/instrument.ts';
import { BarStore } from '../../../../src/market/barStore.ts';
import { drover } from '../../support/commandLine.ts';
import { accountOf, startEmulated, type Emulated } from '../../support/emulated.ts';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'drover-pull-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const DAY_MS = 86_400_000;

describe('drover data pull from a separate emulator', () => {
  let emulated: Emulated;
  beforeAll(async () => (emulated = await startEmulated(71)));
  afterAll(() => emulated.close());

  test('continues where it stopped, with the factors and actions of a split in between', async () => {
    const store = join(folder, 'alone');
    const { run } = accountOf(emulated, 'one-click');
    const pull = async (...more: readonly string[]) => {
      const { code, out, err } = await run(['data', 'pull', ...more, '--data', store]);
      return { code, err, told: JSON.parse(out) as unknown };
    };
    expect(await pull('aapl', '--from', '2026-06-01')).toMatchObject({
      code: 0,
      err: '',
      told: [
        {
          symbol: 'AAPL',
          interval: '1d',
          added: 10,
          last: '2026-06-12T13:30:00Z',
          actions: 0,
          differences: [],
        },
      ],
    });
    const before = new BarStore(store).read({ symbol: ticker('AAPL'), interval: '1d' });
    expect(before?.factors?.steps).toEqual([{ from: before?.columns.start[0], factor: 1 }]);

    const split = { type: 'forward_split', symbol: 'AAPL', oldRate: '1', newRate: '4', exDate: '2026-06-16' };
    await emulated.control('/corporate-action', split);
    await emulated.later(2 * DAY_MS);

    expect(await pull()).toMatchObject({
      code: 0,
      err: '',
      told: [{ added: 2, bars: 12, actions: 1, differences: [] }],
    });
    const after = new BarStore(store);
    const bars = after.read({ symbol: ticker('AAPL'), interval: '1d' });
    expect(bars?.columns.close.slice(0, 10)).toEqual(before?.columns.close);
    expect((bars?.columns.close[10] ?? NaN) / (bars?.columns.open[11] ?? NaN)).toBeCloseTo(4, 0);
    expect(bars?.factors?.steps).toEqual([
      { from: bars?.columns.start[0], factor: 0.25 },
      { from: Date.parse('2026-06-16T13:30:00Z'), factor: 1 },
    ]);
    expect(after.actions(ticker('AAPL'))?.actions).toEqual([
      {
        type: 'forward_split',
        exDate: '2026-06-16',
        oldRate: '1',
        newRate: '4',
        cashPerShare: null,
        payableDate: '2026-06-16',
        source: { kind: 'emulator', name: emulated.info.baseUrl },
      },
    ]);
    expect((await run(['data', 'verify', '--data', store])).code).toBe(0);
  });

  test('marks the bars as generated, so that data generate replaces them with --overwrite', async () => {
    const { run } = accountOf(emulated, 'one-click');
    const own = join(folder, 'own');
    expect((await run(['data', 'pull', 'AAPL', '--from', '2026-06-10', '--data', own])).code).toBe(0);
    const generate = [
      'data',
      'generate',
      'AAPL',
      '--from',
      '2026-06-10',
      '--to',
      '2026-06-15',
      '--data',
      own,
    ];
    expect(await run(generate)).toMatchObject({
      code: 4,
      err: expect.stringMatching(
        /generated bars of AAPL 1d in .*, from an emulator, .*--overwrite replaces them/,
      ) as string,
    });
    expect(await run([...generate, '--overwrite'])).toMatchObject({ code: 0 });
  });

  test('says which flag is missing', async () => {
    const { run } = accountOf(emulated, 'one-click');
    const empty = join(folder, 'empty');
    expect(await run(['data', 'pull', '--data', empty])).toMatchObject({
      code: 2,
      err: expect.stringContaining('which symbols?') as string,
    });
    expect(await run(['data', 'pull', 'AAPL', '--data', empty])).toMatchObject({
      code: 2,
      err: expect.stringContaining('give the first day') as string,
    });
    expect(await run(['data', 'pull', 'NONE', '--from', '2026-06-01', '--data', empty])).toMatchObject({
      code: 2,
      err: expect.stringContaining('NONE is not listed') as string,
    });
  });
});

describe('drover data pull from the emulator of a config', () => {
  const SYMBOLS = ['AAPL', 'AMZN', 'MSFT', 'NVDA', 'SPY', 'TSLA'];
  const command = (...argv: readonly string[]) =>
    drover(argv, { cwd: folder, env: { XDG_DATA_HOME: join(folder, 'home') } });

  test('stores bars that the strategies of that config are backtested on', async () => {
    const early = await command('backtest', '--config', join(process.cwd(), 'config/emulator.yaml'));
    expect(early).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /apple-trend asks for bars of AAPL 5m: .*`drover data pull AAPL --interval 5m/,
      ) as string,
    });
    const pulled = await command('data', 'pull', ...SYMBOLS, '--interval', '1m', '--from', '2026-06-10');
    expect(pulled).toMatchObject({ code: 0, err: '' });
    expect(pulled.out.split('\n')[0]).toBe(
      'AAPL 1m: 1170 new bars, now 1170 from 2026-06-10T13:30:00Z to 2026-06-12T19:59:00Z; 0 corporate actions',
    );
    const { code, out, err } = await command(
      'backtest',
      join(process.cwd(), 'config/emulator.yaml'),
      '--json',
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      strategy: 'savings-plan, apple-trend, nvidia-ladder, steady-mix',
      sessions: 3,
      bars: 5 * 1170 + 234,
      equity: { start: '80000' },
      from: '2026-06-10T13:30:00Z',
    });
  });
});
