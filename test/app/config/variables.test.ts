import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MASK, Secrets } from '../../../src/core/secrets.ts';
import { loadConfig, parseConfig } from '../../../src/app/config/load.ts';
import { privatePaths } from '../../../src/app/config/privatePaths.ts';
import type { Environment } from '../../../src/process/environment.ts';
import { sameFlags } from '../../../src/process/quotedCommand.ts';
import { drover } from '../../cli/support/commandLine.ts';

const STRATEGY = 'strategies: [{ id: one, use: dca, capital: 20, params: { symbol: SPY, fast: 5 } }]\n';

const load = (text: string, env: Environment, secrets = new Secrets()) =>
  parseConfig(`${text}\n${STRATEGY}`, { file: 'a.yaml', cwd: '/here', secrets, env });

/** Message of the refusal. */
function refusal(text: string, env: Environment, secrets?: Secrets): string {
  try {
    load(text, env, secrets);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('${VAR} in a value', () => {
  test('is replaced by the value of the variable, parsed as if written there', () => {
    const { config, originOf } = load(
      'stop: ${STOP}\nlimits:\n  ordersPerMinute: ${PACE}\nstate: ${HOME}/${N:-run}',
      {
        STOP: 'cancel',
        PACE: '7',
        HOME: '/home/me',
      },
    );
    expect(config).toMatchObject({ stop: 'cancel', limits: { ordersPerMinute: 7 }, state: '/home/me/run' });
    expect(originOf(['limits', 'ordersPerMinute'])).toBe('a.yaml:3');
  });

  test('keeps every digit of an amount', () => {
    const { config } = load('limits:\n  dayLoss: ${LOSS}', { LOSS: '1234567.123456789012345678' });
    expect(config.limits.dayLoss).toBe(1234567_123456789012345678n);
  });

  test('cannot add YAML structure', () => {
    expect(refusal('mode: ${MODE}', { MODE: 'live\nlimits: {}' })).toContain('a.yaml:1:7: mode: must be');
  });

  test('needs quotes within brackets, and the error says so', () => {
    expect(refusal('limits: { dayLoss: ${LOSS} }', { LOSS: '5' })).toContain(
      'a.yaml:1:21: not valid YAML: a character is in the wrong place. Check for a missing or extra quote, comma or bracket; ' +
        'within { } and [ ] a ${NAME} stands in quotes',
    );
    expect(load("limits: { dayLoss: '${LOSS}' }", { LOSS: '5' }).config.limits.dayLoss).toBe(5n * 10n ** 18n);
  });

  test.each([
    ['${GONE}', 'a.yaml:1:8: state: the variable GONE is not set. Set it, or write ${GONE:-default}'],
    ['${}', 'a.yaml:1:8: state: a ${ must name a variable. Write ${NAME} or ${NAME:-default}'],
    ['${OPEN', 'a.yaml:1:8: state: a ${ must name a variable'],
    ['${DROVER_API_KEY}', 'a.yaml:1:8: state: DROVER_API_KEY holds a secret, and must not be put in here'],
    ['${DROVER_NOTIFY_ME}', 'a.yaml:1:8: state: DROVER_NOTIFY_ME holds a secret'],
  ])('%s is refused', (text, message) => {
    expect(refusal(`state: ${text}`, { DROVER_API_KEY: 'canary-key', DROVER_NOTIFY_ME: 'x' })).toContain(
      message,
    );
  });

  test('is plain text after another $, and in keys and comments', () => {
    expect(load('state: $${HOME} # ${GONE}', {}).config.state).toBe('/here/${HOME}');
  });

  test('is refused if its value is a private key, which no message repeats', () => {
    const key = `0x${'ab12'.repeat(16)}`;
    const message = refusal('state: ${KEY}', { KEY: key });
    expect(message).toContain('a.yaml:1:8: state: this is a secret and must not be in this file');
    expect(message).not.toContain('ab12ab12');
  });

  test('hides the key in an address that it completes', () => {
    const secrets = new Secrets();
    const venue =
      "venue: { baseUrl: 'http://127.0.0.1:1', chainId: 1, product: ProductA, userAddress: '0x" +
      `${'1'.repeat(40)}'`;
    load(
      `${venue}, rpcUrl: '\${NODE}' }`,
      { NODE: 'https://node.example/v2/abcdef0123456789abcdef' },
      secrets,
    );
    expect(secrets.redact('https://node.example/v2/abcdef0123456789abcdef')).toBe(
      `https://node.example/v2/${MASK}`,
    );
  });
});

describe('DROVER__…', () => {
  test('sets a value in any letter case, and says so', () => {
    const { config, originOf } = load('limits: { dayLoss: 5 }', {
      DROVER__LIMITS__DAYLOSS: '500',
      DROVER__Strategies__0__Params__FAST: '9',
      DROVER__SIGNING__ALLOW: '[deposits, repay]',
      DROVER__EMULATOR__SPEED: 'max',
      DROVER__DATA__DIR: 'bars',
    });
    expect(config.limits.dayLoss).toBe(500n * 10n ** 18n);
    expect(config.strategies[0]?.params).toEqual({ symbol: 'SPY', fast: 9 });
    expect(config.emulator.speed).toBe('max');
    expect(config.signing.allow).toEqual(['deposits', 'repay']);
    expect(config.data.dir).toBe('/here/bars');
    expect(originOf(['limits', 'dayLoss'])).toBe('env DROVER__LIMITS__DAYLOSS');
    expect(originOf(['strategies', 0, 'params', 'fast'])).toBe('env DROVER__Strategies__0__Params__FAST');
    expect(originOf(['strategies', 0, 'params', 'symbol'])).toMatch(/^a\.yaml:/);
  });

  test.each([
    [
      'DROVER__LIMITS__DAYLOS',
      '5',
      'env DROVER__LIMITS__DAYLOS: limits has no DAYLOS. Did you mean DAYLOSS?',
    ],
    ['DROVER__STRATEGIES__3__CAPITAL', '5', 'strategies has no 3. Known there: 0'],
    ['DROVER_LIMITS__DAYLOSS', '5', 'env DROVER_LIMITS__DAYLOSS: sets nothing. Begin it with DROVER__'],
    ['drover__limits__dayLoss', '5', 'env drover__limits__dayLoss: sets nothing. Begin it with DROVER__'],
    ['DROVER__LIMITS__DAYLOSS', 'lots', 'env DROVER__LIMITS__DAYLOSS: limits.dayLoss: '],
    [
      'DROVER__STRATEGIES__0__PARAMS__SLOW',
      '5',
      'strategies.0.params has no SLOW. Known there: symbol, fast',
    ],
  ])('%s=%s is refused', (name, value, message) => {
    expect(refusal('', { [name]: value })).toContain(message);
  });

  test('never takes a secret', () => {
    const secrets = new Secrets();
    const message = refusal('', { DROVER__VENUE__APIKEY: 'canary-a1b2c3d4e5f6' }, secrets);
    expect(message).toContain(
      'env DROVER__VENUE__APIKEY: a secret must not be set by a variable of the config',
    );
    expect(secrets.redact('canary-a1b2c3d4e5f6')).toBe(MASK);
    const key = 'cd34'.repeat(16);
    expect(refusal('', { DROVER__STATE: key })).toContain('env DROVER__STATE: state: this is a secret');
    expect(refusal('', { DROVER__STATE: key })).not.toContain('cd34cd34');
  });

  test('is refused when two variables set one value', () => {
    const env = { DROVER__MODE: 'live', DROVER__mode: 'dry-run' };
    expect(refusal('', env)).toContain('env DROVER__mode: DROVER__MODE sets the same. Unset one of them');
  });
});

const cwd = mkdtempSync(join(tmpdir(), 'drover-layers-'));
mkdirSync(join(cwd, 'site'));
writeFileSync(
  join(cwd, 'base.yaml'),
  `${STRATEGY}state: run\nlimits: { dayLoss: 5, killFile: stop }\nsigning: { allow: [deposits, repay] }\n`,
);
writeFileSync(
  join(cwd, 'site', 'live.yaml'),
  'limits:\n  dayLoss: 7\nsigning: { allow: [withdrawals] }\ndata: { dir: bars }\n',
);
writeFileSync(join(cwd, 'empty.yaml'), '# nothing yet\n');
writeFileSync(join(cwd, 'wrong.yaml'), 'limits:\n  dayLos: 7\n');

describe('several --config files', () => {
  const explain = async (argv: readonly string[], env = {}) => {
    const { out, code, err } = await drover(['config', 'explain', '--json', ...argv], { cwd, env });
    if (code !== 0) return err;
    const rows = JSON.parse(out) as { path: string; value: unknown; origin: string }[];
    return new Map(rows.map(({ path, ...row }) => [path, row]));
  };

  test('merge mappings, replace lists, and the last wins; each value names its file', async () => {
    const rows = await explain(['base.yaml', '--config', 'site/live.yaml', '--config', 'empty.yaml']);
    expect(rows).toBeInstanceOf(Map);
    const row = (path: string) => (rows as Map<string, object>).get(path);
    expect(row('limits.dayLoss')).toEqual({ value: 7, origin: 'site/live.yaml:2' });
    expect(row('limits.killFile')).toEqual({ value: 'stop', origin: 'base.yaml:3' });
    expect(row('signing.allow[0]')).toEqual({ value: 'withdrawals', origin: 'site/live.yaml:3' });
    expect(row('signing.allow[1]')).toBeUndefined();
    expect(row('state')).toEqual({ value: 'run', origin: 'base.yaml:2' });
  });

  test('are overridden by the environment, and that by flags', async () => {
    const env = { DROVER__LIMITS__DAYLOSS: '9' };
    const rows = await explain(['--config', 'base.yaml', '--config', 'site/live.yaml'], env);
    expect((rows as Map<string, object>).get('limits.dayLoss')).toEqual({
      value: 9,
      origin: 'env DROVER__LIMITS__DAYLOSS',
    });
  });

  test('show each mistake at its own place', async () => {
    expect(await explain(['base.yaml', '--config', 'wrong.yaml'])).toContain('wrong.yaml:2:3: limits.dayLos');
  });

  test('resolve relative paths from the folder of the file that contains them', () => {
    const { config } = loadConfig({
      file: 'base.yaml',
      layers: ['site/live.yaml'],
      cwd,
      secrets: new Secrets(),
    });
    expect([config.data.dir, config.state]).toEqual([join(cwd, 'site', 'bars'), join(cwd, 'run')]);
  });

  test('appear in the commands that a message proposes', () => {
    const files = { configFile: 'base.yaml', configLayers: ['site/my live.yaml'] };
    expect(sameFlags(files, 'st')).toBe(" --config base.yaml --config 'site/my live.yaml' --state st");
  });
});

test('files that variables name stay out of bundles', () => {
  const env = { DROVER__VENUE__SECRETFILE: 'sealed', WHERE: '/vault' };
  writeFileSync(join(cwd, 'other.yaml'), 'venue: { keyFile: "${WHERE}/key" }\n');
  const kept = privatePaths(
    { cwd, env, configFile: 'base.yaml', configLayers: ['site/live.yaml'] },
    { folder: cwd, use: './a.ts' },
  );
  expect(kept).toEqual(
    expect.arrayContaining([join(cwd, 'sealed'), '/vault/key', join(cwd, 'stop'), join(cwd, 'run')]),
  );
});
