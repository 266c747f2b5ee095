import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import type {
  OperatorAnswer,
  OperatorCommand,
  OperatorRequest,
  Reload,
} from '../../../src/domain/operator/command.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { daemonOf, type DaemonParts } from '../../../src/app/run/daemon.ts';
import { ConfigReload } from '../../../src/app/run/reload.ts';
import { parseConfig } from '../../../src/app/config/load.ts';

const yamlOf = (limits: string, rest = ''): string => `mode: emulator
limits: { ${limits} }
strategies:
  - { id: savings, use: dca, capital: 1000, params: { symbol: SPY, notional: 50 }, limits: { orderNotional: 60 } }
${rest}`;
const load = (text: string) =>
  parseConfig(text, { file: 'run.yaml', cwd: '/nowhere', secrets: new Secrets() });
const EVERY_LIMIT = load(
  yamlOf(
    'orderNotional: 100, positionNotional: 100, grossExposure: 100, ordersPerMinute: 5, dayLoss: 5, priceBandBps: 100, quoteAgeMs: 60000',
  ),
).config.limits;
const reloadOf = (before: string, after: string) => new ConfigReload(load(before), () => load(after));

describe('a reload of the config', () => {
  test('applies limits and polling periods, and names what needs a restart', () => {
    const after = yamlOf('orderNotional: 250, dayLoss: 10', 'polling: { quotesMs: 2000 }\nstop: cancel\n');
    const { reload } = reloadOf(yamlOf('orderNotional: 100'), after).prepare({});
    expect(reload.changes).toEqual({
      'limits.orderNotional': { from: '100', to: '250' },
      'limits.dayLoss': { from: 'not set', to: '10' },
      'polling.quotesMs': { from: '5000', to: '2000' },
    });
    expect(reload.needsRestart).toEqual(['stop']);
    expect(reload.settings?.limits).toMatchObject({
      orderNotional: parseCash('250'),
      dayLoss: parseCash('10'),
    });
    expect(reload.settings?.polling.quotesMs).toBe(2_000);
    expect(reload.before?.limits.orderNotional).toBe(parseCash('100'));
  });

  test('applies limits of a strategy by its id', () => {
    const after = yamlOf('orderNotional: 100').replace('orderNotional: 60', 'orderNotional: 40');
    const { reload } = reloadOf(yamlOf('orderNotional: 100'), after).prepare({});
    expect(reload.changes).toEqual({ 'strategies.savings.limits.orderNotional': { from: '60', to: '40' } });
    expect(reload.settings?.ownLimits['savings']?.orderNotional).toBe(parseCash('40'));
  });

  test('leaves capital, parameters and strategies to a restart', () => {
    const after = yamlOf('orderNotional: 100').replace('capital: 1000', 'capital: 2000');
    const { reload } = reloadOf(yamlOf('orderNotional: 100'), after).prepare({});
    expect(reload).toMatchObject({ changes: {}, needsRestart: ['strategies.savings.capital'] });
    expect(reload.settings).toBeUndefined();
  });

  test('leaves a changed channel to a restart, and is refused as a whole for a mistake in it', () => {
    const hooks = (channel: string) =>
      yamlOf('orderNotional: 100', `notify: { channels: [{ id: team, kind: slack${channel} }] }\n`);
    const after = hooks(', hears: [fill] }, { id: phone, kind: ntfy');
    const { reload } = reloadOf(hooks(''), after).prepare({});
    expect([reload.changes, reload.settings]).toEqual([{}, undefined]);
    expect(reload.needsRestart).toEqual(['notify.channels.team.hears', 'notify.channels.phone']);
    const { refusal } = reloadOf(hooks(''), hooks(', hears: [everything]')).prepare({}).reload;
    expect(refusal?.text).toMatch(/nothing was changed: run\.yaml:5:\d+: notify\.channels\[0\]\.hears/);
  });

  test('is refused as a whole for a mistake, with its place', () => {
    const { reload } = reloadOf(yamlOf('orderNotional: 100'), yamlOf('orderNotional: none')).prepare({});
    expect(reload.refusal).toMatchObject({ because: 'usage' });
    expect(reload.refusal?.text).toMatch(/nothing was changed: run\.yaml:2:\d+: limits\.orderNotional/);
    expect(reload.settings).toBeUndefined();
  });

  test('applies changes to what is allowed from outside, including manual orders over TCP', () => {
    const after = yamlOf(
      'orderNotional: 100',
      'external: { orders: count, deposits: accept }\ncontrol: { money: true, listen: 127.0.0.1:0 }\n',
    );
    const config = reloadOf(yamlOf('orderNotional: 100'), after);
    const { reload, apply } = config.prepare({});
    expect(reload.changes).toEqual({
      'external.orders': { from: 'alarm', to: 'count' },
      'external.deposits': { from: 'alarm', to: 'accept' },
      'control.money': { from: 'false', to: 'true' },
    });
    expect(reload.needsRestart).toEqual(['control.listen']);
    expect([reload.before?.external?.deposits, reload.settings?.external]).toEqual([
      null,
      { orders: 'count', deposits: '', withdrawals: null, stockMoves: null, fills: null },
    ]);
    expect(config.allowsMoney).toBe(false);
    apply();
    expect(config.allowsMoney).toBe(true);
  });

  test('compares with the settings in force, not with those of the start', () => {
    const config = reloadOf(yamlOf('orderNotional: 100'), yamlOf('orderNotional: 250'));
    config.prepare({ dryRun: true }).apply();
    const { reload, apply } = config.prepare({});
    expect(Object.keys(reload.changes)).toHaveLength(1);
    apply();
    expect(config.prepare({}).reload.changes).toEqual({});
  });
});

test('a reload that arrives before an earlier one is answered is compared with it', async () => {
  const [narrow, wide] = [load(yamlOf('orderNotional: 100')), load(yamlOf('orderNotional: 250'))];
  let file = wide;
  const given: Reload[] = [];
  const context = { accountState: { commands: { of: () => undefined } } };
  const command = ({ command: reload }: OperatorRequest) => {
    given.push(reload as OperatorCommand & { kind: 'reload' });
    return new Promise<OperatorAnswer>(() => undefined);
  };
  const daemon = daemonOf({
    runner: { kernel: { context }, command },
    loaded: narrow,
    reload: new ConfigReload(narrow, () => file),
    stateDir: '/nowhere',
    clock: new VirtualClock({ start: epochMs(0) }),
  } as unknown as DaemonParts);
  const ask = (id: string) =>
    void daemon.command({
      id: id as CommandId,
      by: 'ann',
      reason: 'r',
      command: { kind: 'reload', changes: {} },
    });
  ask('the-first');
  file = narrow;
  ask('the-second');
  expect(given.map(({ changes }) => changes['limits.orderNotional'])).toEqual([
    { from: '100', to: '250' },
    { from: '250', to: '100' },
  ]);
});

describe('a reload in mode live', () => {
  const live = (limits: string, rest = '') => {
    const loaded = load(yamlOf(limits, rest));
    const { limits: own, ...config } = loaded.config;
    return { ...loaded, config: { ...config, limits: { ...EVERY_LIMIT, ...own }, mode: 'live' as const } };
  };
  const config = (before: string, after: string) => new ConfigReload(live(before), () => live(after));

  test.each([
    ['higher', 'orderNotional: 100', 'orderNotional: 250'],
    ['gone', 'orderNotional: 100, feeBps: 5', 'orderNotional: 100'],
  ])('needs --yes for a limit that is %s', (_name, before, after) => {
    const { refusal, settings } = config(before, after).prepare({}).reload;
    expect(refusal).toMatchObject({ because: 'safety' });
    expect(settings).toBeUndefined();
    expect(config(before, after).prepare({ yes: true }).reload.settings).toBeDefined();
  });

  test.each(['external: { orders: count }', 'external: { deposits: accept }', 'control: { money: true }'])(
    'needs --yes for %s, but not to take it back',
    (rest) => {
      const [strict, loose] = [live(''), live('', rest)];
      expect(new ConfigReload(strict, () => loose).prepare({}).reload.refusal).toMatchObject({
        because: 'safety',
      });
      expect(new ConfigReload(strict, () => loose).prepare({ yes: true }).reload.settings).toBeDefined();
      expect(new ConfigReload(loose, () => strict).prepare({}).reload.settings).toBeDefined();
    },
  );

  test('is refused even with --yes if a limit that live trading requires is removed', () => {
    const { dayLoss: _, ...others } = EVERY_LIMIT;
    const before = live('orderNotional: 100');
    const after = {
      ...before,
      config: { ...before.config, limits: { ...others, orderNotional: parseCash('50') } },
    };
    const { refusal, settings } = new ConfigReload(before, () => after).prepare({ yes: true }).reload;
    expect(refusal).toMatchObject({
      because: 'safety',
      text: expect.stringContaining('limits.dayLoss is not set') as string,
    });
    expect(settings).toBeUndefined();
  });

  test('applies a closure at once, and needs --yes to reopen a day', () => {
    const closed = 'calendar: { overrides: [{ date: 2026-12-24, closed: true, reason: a storm }] }';
    const [plain, shut] = [live(''), live('', closed)];
    const { reload } = new ConfigReload(plain, () => shut).prepare({});
    expect(Object.keys(reload.changes)).toEqual(['calendar.overrides']);
    expect([reload.before?.calendar, reload.settings?.calendar]).toEqual([
      [],
      [{ date: '2026-12-24', closed: true, reason: 'a storm' }],
    ]);
    expect(new ConfigReload(shut, () => plain).prepare({}).reload.refusal).toMatchObject({
      because: 'safety',
    });
    expect(new ConfigReload(shut, () => plain).prepare({ yes: true }).reload.settings?.calendar).toEqual([]);
  });

  test.each([
    ['jumpPercent', 'jumpPercent: 40', 'jumpPercent: 10'],
    ['fillBandBps', 'fillBandBps: 800', 'fillBandBps: 100'],
    ['stateAgeMs', 'stateAgeMs: 3600000', 'stateAgeMs: 60000'],
    ['doubt', 'doubt: 500', 'doubt: 50'],
  ])('compares a limit with its default if the config does not set it: %s', (name, wider, narrower) => {
    const { refusal } = config('', wider).prepare({}).reload;
    expect(refusal?.text).toContain(`limits.${name} not set → `);
    expect(config('', narrower).prepare({}).reload.settings).toBeDefined();
  });

  test('needs no --yes for a lower limit', () => {
    expect(config('orderNotional: 100', 'orderNotional: 50').prepare({}).reload.settings).toBeDefined();
  });
});
