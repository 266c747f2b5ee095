import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { VERSION } from '../../src/core/version.ts';
import { buildProgram } from '../../src/cli/program.ts';
import type { Process } from '../../src/process/context.ts';
import { drover } from './support/commandLine.ts';

const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
writeFileSync(join(cwd, 'bad.yaml'), 'mode: demo\nstrategies: []\n');
writeFileSync(join(cwd, 'good.yaml'), "strategies: [{ id: one, use: dca, capital: '20' }]\n");

test('--version and --help print to stdout with exit 0', async () => {
  expect(await drover(['--version'])).toEqual({ code: 0, out: `${VERSION}\n`, err: '' });
  const help = await drover(['--help']);
  expect(help.code).toBe(0);
  for (const command of [
    'run',
    'emulator',
    'api',
    'doctor',
    'orders',
    'positions',
    'balance',
    'oneclick',
    'calendar',
  ])
    expect(help.out).toContain(`\n  ${command}`);
});

const descriptionsOf = (command: Command): string[] => [
  command.description(),
  ...command.registeredArguments.map(({ description }) => description),
  ...command.options.map(({ description }) => description),
  ...command.commands.flatMap(descriptionsOf),
];

test('every description of the help fits a line of 80 characters', () => {
  const program = buildProgram({ terminal: { out: vi.fn(), err: vi.fn() } } as unknown as Process, vi.fn());
  expect(descriptionsOf(program).filter((text) => text.length > 80)).toEqual([]);
});

test('the help of run says when a run without --until ends', async () => {
  const { out } = await drover(['run', '--help']);
  expect(out.replace(/\s+/g, ' ')).toContain('(default: close; with a state folder, until stopped)');
});

test.each([
  [['runn'], "unknown command 'runn' (Did you mean run?)"],
  [['orders', '--limt', '5'], "unknown option '--limt' (Did you mean --limit?)"],
  [['orders', '--limit', 'x'], "option '--limit <n>' argument 'x' is invalid. It must be a whole number"],
  [['calendar', '--from', '2026-01-01'], "required option '--to <date>' not specified"],
  [['api', 'GET'], "missing required argument 'path'"],
  [['balance', 'x'], "too many arguments for 'balance'. Expected 0 arguments but got 1"],
])('%j is a usage error', async (argv, message) => {
  const { code, out, err } = await drover(argv);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^drover: .*\. `drover( [a-z]+)* --help` lists commands and flags\n$/);
  expect(err).toContain(message);
});

test('drover without a command shows the help and is a usage error', async () => {
  const { code, out, err } = await drover([]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('Usage: drover');
});

test('an error is reported once, on stderr, without a stack', async () => {
  expect(await drover(['config', 'explain', 'bad.yaml'], { cwd })).toEqual({
    code: 2,
    out: '',
    err:
      'drover: bad.yaml:1:7: mode: must be emulator, dry-run or live, not "demo"\n' +
      'bad.yaml:2:1: strategies: must have at least one entry, not an empty list. About this setting: The strategies that run, such as `- { id: savings, use: dca, capital: 1000, params: { symbol: SPY, notional: 50 } }`\n',
  });
});

test('--json reports an error as data on stderr, with its stack only under --verbose', async () => {
  const { code, out, err } = await drover(['config', 'explain', 'nowhere.yaml', '--json'], { cwd });
  expect([code, out]).toEqual([2, '']);
  expect(JSON.parse(err)).toEqual({
    error: {
      code: 'CONFIG_INVALID',
      message: 'nowhere.yaml: there is no such file. Name a config file, such as config/emulator.yaml',
      details: { file: 'nowhere.yaml' },
    },
  });
  const verbose = await drover(['--verbose', '--json', 'config', 'explain', 'nowhere.yaml'], { cwd });
  expect(JSON.parse(verbose.err)).toHaveProperty('error.stack', expect.stringContaining('.ts:'));
});

test('config explain prints values as text and JSON, and masks secrets', async () => {
  const env = { DROVER_API_KEY: 'canary-of-the-key' };
  const people = await drover(['config', 'explain', 'good.yaml'], { cwd, env });
  expect(people.out).toMatch(/^strategies\[0\]\.capital +20 +good\.yaml:1$/m);
  expect(people.out).toMatch(/^apiKey +\[redacted\] +env DROVER_API_KEY$/m);
  const programs = await drover(['--config', 'good.yaml', 'config', 'explain', '--json'], { cwd, env });
  expect(JSON.parse(programs.out)).toContainEqual({ path: 'mode', value: 'emulator', origin: 'default' });
  expect(people.out + programs.out).not.toContain('canary');
});

test('calendar prints the sessions, early closes included', async () => {
  const argv = ['calendar', '--from', '2026-11-26', '--to', '2026-11-27', '--json'];
  expect(JSON.parse((await drover(argv)).out)).toEqual([
    { date: '2026-11-27', open: '2026-11-27T14:30:00Z', close: '2026-11-27T18:00:00Z', early: true },
  ]);
  const backwards = await drover(['calendar', '--from', '2026-11-27', '--to', '2026-11-26']);
  expect(backwards.code).toBe(2);
});

test('the bundled config is used without --config', async () => {
  const { code, out } = await drover(['config', 'explain', '--json'], { cwd });
  expect(code).toBe(0);
  expect(out).toContain('steady-mix');
});
