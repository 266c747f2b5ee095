import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drover } from '../support/commandLine.ts';
import { answersEach, config, live } from './mistakes.ts';

describe('files and permissions:', () => {
  answersEach([
    {
      mistake: 'a config that is not there',
      command: 'run mine.yaml',
      place: 'mine.yaml',
      reason: 'there is no such file',
      remedy: 'Name a config file, such as config/emulator.yaml',
    },
    {
      mistake: 'a folder as config',
      command: 'run conf',
      files: { 'conf/': '' },
      place: 'conf',
      reason: 'is a folder',
      remedy: 'Name a file in it',
    },
    {
      mistake: 'a key file that is not there',
      command: 'run my.yaml --live',
      files: { 'my.yaml': live().replace('chainId', 'keyFile: ./key.txt, chainId') },
      place: 'key.txt',
      reason: 'there is no such file',
      remedy: 'Correct the path',
    },
    {
      mistake: 'a key file that others can read',
      command: 'run my.yaml --live',
      files: { 'my.yaml': live().replace('chainId', 'keyFile: ./key.txt, chainId'), 'key.txt 644': 'abc\n' },
      exit: 4,
      place: 'key.txt holds a secret',
      reason: 'can be read by others (mode 644)',
      remedy: 'Run: chmod 600 key.txt',
    },
    {
      mistake: 'a state folder that others can write',
      command: 'run my.yaml --state state',
      files: { 'my.yaml': config(), 'state/ 777': '' },
      exit: 4,
      place: 'state',
      reason: 'can be written by others (mode 777)',
      remedy: 'Run: chmod go-w ',
    },
    {
      mistake: 'a file as state folder',
      command: 'run my.yaml --state state',
      files: { 'my.yaml': config(), state: '' },
      place: 'state',
      reason: 'is a file, and must be a folder',
      remedy: 'Name another one with --state DIR',
    },
    {
      mistake: 'a state folder in a file',
      command: 'run my.yaml --state my.yaml/state',
      files: { 'my.yaml': config() },
      place: 'my.yaml',
      reason: 'is a file, and must be a folder',
      remedy: 'Name another one with --state DIR',
    },
    {
      mistake: 'a device as state folder',
      command: 'run my.yaml --state /dev/null',
      files: { 'my.yaml': config() },
      place: '/dev/null',
      reason: 'is no folder, and must be a folder',
      remedy: 'Name another one with --state DIR',
    },
    {
      mistake: 'a device as state folder of a command that reads it',
      command: 'journal show --state /dev/null',
      place: '/dev/null',
      reason: 'is no folder, and must be a folder',
      remedy: 'Name another one with --state DIR',
    },
    {
      mistake: 'a journal of a folder without one',
      command: 'journal show --state nowhere',
      place: 'nowhere',
      reason: 'there is no journal in',
      remedy: 'Name the state folder of a run',
    },
    {
      mistake: 'a journal of no folder',
      command: 'journal show',
      place: 'which run?',
      reason: 'Set state: in the config',
      remedy: 'or pass --state DIR',
    },
    {
      mistake: 'faults of a file that is not there',
      command: 'run my.yaml --faults faults.json',
      files: { 'my.yaml': config() },
      place: '--faults faults.json',
      reason: 'there is no such file',
      remedy: 'Correct the path',
    },
    {
      mistake: 'faults that are no JSON',
      command: 'run my.yaml --faults my.yaml',
      files: { 'my.yaml': config() },
      place: '--faults my.yaml',
      reason: 'is not JSON',
      remedy: 'config/hard-day.json shows what a plan looks like',
    },
    {
      mistake: 'a key store without a key',
      command: 'keys show main',
      place: 'there is no key main',
      reason: 'keys',
      remedy: '`drover keys list` lists all keys',
    },
  ]);
});

describe('the command line:', () => {
  answersEach([
    {
      mistake: 'a command misspelt',
      command: 'bactest',
      place: "'bactest'",
      reason: 'unknown command',
      remedy: 'Did you mean backtest?',
    },
    {
      mistake: 'a flag misspelt',
      command: 'run --unitl close',
      place: "'--unitl'",
      reason: 'unknown option',
      remedy: 'Did you mean --until?',
    },
    {
      mistake: 'two configs',
      command: 'run a.yaml b.yaml',
      place: "too many arguments for 'run'",
      reason: 'Expected 1 argument but got 2',
      remedy: '`drover run --help`',
    },
    {
      mistake: 'a speed in words',
      command: 'run my.yaml --speed fast',
      files: { 'my.yaml': config() },
      place: '--speed',
      reason: 'not "fast"',
      remedy: 'must be a number or "max"',
    },
    {
      mistake: 'an end in words',
      command: 'run my.yaml --until tomorrow',
      files: { 'my.yaml': config() },
      place: '--until tomorrow',
      reason: 'write close',
      remedy: 'sessions:N or a time such as 2026-06-15T16:30',
    },
    {
      mistake: 'balances of the emulator in a run',
      command: 'balance --config my.yaml',
      files: { 'my.yaml': config() },
      place: 'my.yaml',
      reason: 'has no venue',
      remedy: 'Add a venue section',
    },
    {
      mistake: 'a deposit that is switched off',
      command: 'cash deposit 100 --config my.yaml',
      files: { 'my.yaml': live() },
      exit: 4,
      place: 'my.yaml',
      reason: "'deposits' is switched off",
      remedy: 'signing: { allow: [deposits] }',
    },
    {
      mistake: 'a release without a reason',
      command: 'release AAPL',
      place: "required option '--reason <text>'",
      reason: 'not specified',
      remedy: '`drover unfreeze --help`',
    },
    {
      mistake: 'a port that there is not',
      command: 'emulator --port 80000',
      place: "'--port <port>'",
      reason: "'80000' is invalid",
      remedy: 'must be a port from 0 to 65535',
    },
    {
      mistake: 'a day that there is not',
      command: 'calendar --from 2026-02-30 --to 2026-03-01',
      place: '"2026-02-30"',
      reason: 'is not a date',
      remedy: 'write YYYY-MM-DD',
    },
    {
      mistake: 'days that run backwards',
      command: 'calendar --from 2026-03-02 --to 2026-03-01',
      place: '2026-03-02',
      reason: 'is after 2026-03-01',
      remedy: 'Swap the two dates',
    },
    {
      mistake: 'a path without its beginning',
      command: 'api GET symbols --config my.yaml',
      files: { 'my.yaml': live() },
      place: 'symbols',
      reason: 'must start with /api/v1/',
      remedy: 'such as /api/v1/symbols',
    },
  ]);
});

describe('a port', () => {
  const other = createServer();
  beforeAll(() => new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => other.close(resolve)));

  test('that another program uses is refused with the flag that names another', async () => {
    const { port } = other.address() as AddressInfo;
    const { code, err } = await drover(['emulator', '--port', String(port)]);
    expect(code).toBe(2);
    expect(err).toContain(`cannot listen on 127.0.0.1:${port}`);
    expect(err).toContain('address already in use');
    expect(err).toContain('Name another port with --port, or --port 0 for any that is free');
  });
});

test.each(['journal.sqlite', 'journal.sqlite-head', 'account'])(
  'a pipe in a state folder is refused instead of read, which would wait for ever: %s',
  async (name) => {
    const state = mkdtempSync(join(tmpdir(), 'drover-'));
    execFileSync('mkfifo', [join(state, name)]);
    const { code, err } = await drover(['journal', 'verify', '--state', state]);
    expect(code, err).toBe(2);
    expect(err).toContain(`${state} holds a pipe, ${name}. Remove it`);
  },
);
