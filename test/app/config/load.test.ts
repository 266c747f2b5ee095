import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseCash } from '../../../src/core/amount.ts';
import { ConfigError, SafetyError } from '../../../src/core/errors.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { loadConfig, parseConfig, type Override, requireRunnable } from '../../../src/app/config/load.ts';
import { validateParams } from '../../../src/app/strategies/params.ts';

const text = `# A comment
state: ./state
limits:
  orderNotional: 2500.50
  killFile: STOP
strategies:
  - id: one
    use: ./mine.ts
    capital: '1000'
    params:
      symbol: aapl
      slow: 5
  - { id: two, use: dca, capital: 20 }
`;
const parse = (yaml: string, overrides: readonly Override[] = []) =>
  parseConfig(yaml, { file: 'conf/my.yaml', cwd: '/home/me', secrets: new Secrets(), overrides });

test('a config has its defaults, exact amounts and paths relative to its folder', () => {
  const { config } = parse(text);
  expect(config).toMatchObject({
    mode: 'emulator',
    emulator: { start: Date.parse('2026-06-15T13:25Z'), speed: 60, seed: 1 },
    state: '/home/me/conf/state',
    limits: { orderNotional: parseCash('2500.5'), killFile: '/home/me/conf/STOP' },
    polling: { quotesMs: 5000, ordersMs: 5000, restingMs: 10_000, accountMs: 30_000 },
    orders: { collarBps: 50, deadlineSeconds: 90 },
    strategies: [
      { id: 'one', use: '/home/me/conf/mine.ts', capital: parseCash('1000') },
      { id: 'two', use: 'dca', params: {} },
    ],
    log: { level: 'info' },
  });
});

test('a path from the command line is relative to the working directory', () => {
  const state = { path: ['state'], value: 'elsewhere', flag: '--state' };
  expect(parse(text, [state]).config.state).toBe('/home/me/elsewhere');
});

test('a value has a position and an origin', () => {
  const loaded = parse(text, [{ path: ['emulator', 'seed'], value: 7, flag: '--seed' }]);
  expect(loaded.positionOf(['strategies', 0, 'params', 'slow'])).toBe('conf/my.yaml:12:13');
  expect(loaded.originOf(['strategies', 0, 'capital'])).toBe('conf/my.yaml:9');
  expect(loaded.originOf(['emulator', 'seed'])).toBe('--seed');
  expect(loaded.originOf(['emulator', 'speed'])).toBe('default');
});

test("parameters are checked by the strategy's own schema, at their lines", () => {
  const schema = z.strictObject({
    symbol: z.string().regex(/^[A-Z]+$/, 'must be in upper case'),
    slow: z.int().min(10),
    fast: z.int().describe('Length of the fast average.'),
  });
  expect(() => validateParams(parse(text), 0, schema)).toThrow(
    expect.objectContaining({
      message:
        'conf/my.yaml:10:5: strategies[0].params.fast: is missing. About this setting: Length of the fast average\n' +
        'conf/my.yaml:11:15: strategies[0].params.symbol: must be in upper case, not "aapl"\n' +
        'conf/my.yaml:12:13: strategies[0].params.slow: must be at least 10, not 5',
    }),
  );
  expect(() => validateParams(parse(text), 1, z.strictObject({ symbol: z.string() }))).toThrow(
    'conf/my.yaml:13:5: strategies[1].params.symbol: is missing',
  );
  expect(validateParams(parse(text), 1, z.strictObject({ n: z.int().default(3) }))).toEqual({ n: 3 });
});

test('a missing config file is named', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  const source = { file: 'nowhere.yaml', cwd, secrets: new Secrets() };
  expect(() => loadConfig(source)).toThrow(/^nowhere\.yaml: there is no such file\./);
  writeFileSync(join(cwd, 'nowhere.yaml'), text);
  expect(loadConfig(source).config.strategies).toHaveLength(2);
});

test('a config that is a pipe or device is not read, because its folder would hold the state', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  for (const file of ['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0', '/dev/null', 'pipe'])
    expect(() => loadConfig({ file, cwd, secrets: new Secrets() })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/^\S+: is not a regular file\..* save it as a file/) as string,
      }),
    );
  writeFileSync(join(cwd, 'my.yaml'), text);
  symlinkSync('my.yaml', join(cwd, 'link.yaml'));
  expect(loadConfig({ file: 'link.yaml', cwd, secrets: new Secrets() }).folder).toBe(cwd);
});

const live = `mode: live
venue:
  baseUrl: https://venue.example
  chainId: 143
  product: ProductA
  userAddress: '0x1111111111111111111111111111111111111111'
limits:
  orderNotional: 1
  positionNotional: 1
  grossExposure: 1
  ordersPerMinute: 1
  priceBandBps: 1
  quoteAgeMs: 1000
  dayLoss: 1
state: ./state
strategies: [{ id: one, use: dca, capital: 20 }]
`;

test('mode live needs every limit and a state folder', () => {
  expect(() => requireRunnable(parse(live))).not.toThrow();
  const loose = parse(live.replace('  dayLoss: 1\n', ''));
  expect(() => requireRunnable(loose)).toThrow(SafetyError);
  expect(() => requireRunnable(loose)).toThrow('limits.dayLoss is not set');
  const homeless = parse(live.replace('state: ./state\n', ''));
  expect(() => requireRunnable(homeless)).toThrow(ConfigError);
});
