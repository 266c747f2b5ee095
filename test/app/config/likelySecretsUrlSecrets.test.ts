import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { secretsInUrls } from '../../../src/app/config/likelySecrets.ts';
import { drover } from '../../cli/support/commandLine.ts';

const KEY = '0123456789abcdef0123456789abcdef';

test.each([
  ['https://user:pass-word@host/path', ['pass-word', 'user', 'user:pass-word']],
  [`https://node.example/v3/${KEY}`, [KEY]],
  ['https://host/?apikey=canary&b=other', ['canary', 'other']],
  ['https://bare-canary-key@host', ['bare-canary-key', 'bare-canary-key']],
  ['https://venue.example:8545/api/v1', []],
  [`https://explorer.example/address/0x${'aB'.repeat(20)}?of=0x${'cd'.repeat(20)}`, []],
])('%s', (url, secrets) => {
  const found = secretsInUrls(`  rpcUrl: '${url}' # and more`);
  expect(found.filter((value) => value !== '').sort()).toEqual(secrets);
});

const USER = `0x${'1'.repeat(40)}`;
const venue = (rpcUrl: string) => `mode: live
venue: { baseUrl: 'https://venue.example', chainId: 143, product: ProductA, rpcUrl: '${rpcUrl}',
         userAddress: '${USER}' }
strategies: [{ id: a, use: dca, capital: '100', params: { symbol: AAPL, notional: '10' } }]
`;

test.each([
  'https://user:canary-1@host',
  'https://host/?key=canary-1',
  'https://host/canary-1-0123456789',
  `https://host/?apikey=canary-${KEY}${KEY}`,
  `https://host/v2/canary-${KEY}${KEY}?x`,
])('no part of %s that may be a key is shown', async (url) => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'c.yaml'), venue(url));
  for (const argv of [
    ['config', 'explain', 'c.yaml'],
    ['balance', '--config', 'c.yaml', '--json', '--verbose'],
  ]) {
    const { out, err } = await drover(argv, { cwd });
    expect(out + err).not.toContain('canary');
    expect(out + err).not.toBe('');
  }
});

test.each([
  ['a time', `emulator: { start: 'https://host/?k=canary-${KEY}${KEY}' }`, '100'],
  ['an amount', '', `https://host/?k=canary-${KEY}${KEY}`],
])('a key in a URL written in place of %s is not shown', async (_, line, capital) => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  const strategy = `{ id: a, use: dca, capital: '${capital}', params: { symbol: AAPL, notional: '10' } }`;
  writeFileSync(join(cwd, 'c.yaml'), `${line}\nstrategies: [${strategy}]\n`);
  const { code, err } = await drover(['config', 'explain', 'c.yaml'], { cwd });
  expect([code, err]).toEqual([2, expect.stringContaining('a text of ')]);
  expect(err).not.toContain('canary');
});

test.each([
  ['the address of the user', `# https://explorer.example/address/${USER}`],
  ['the name of a strategy in a query', '# https://docs.example/?s=limit-ladder'],
  ['an address in a link that is a value', `data: { dir: 'https://explorer.example/address/${USER}' }`],
])('%s is not treated as a secret', async (_, line) => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(
    join(cwd, 'c.yaml'),
    `${venue('https://host').replace('use: dca', 'use: limit-ladder')}${line}\n`,
  );
  const { code, out } = await drover(['config', 'explain', 'c.yaml'], { cwd });
  expect([code, out]).toEqual([0, expect.stringMatching(/limit-ladder/)]);
  expect(out).toContain(USER);
});

test('a key in a URL is masked where the YAML around it cannot be parsed', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'c.yaml'), `data: { dir: x }\n]https://host/?k=canary-${KEY}\n`);
  const { code, err } = await drover(['config', 'explain', 'c.yaml'], { cwd });
  expect([code, err]).toEqual([2, expect.stringContaining('not valid YAML')]);
  expect(err).not.toContain('canary');
});
