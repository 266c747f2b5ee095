import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drover } from '../../cli/support/commandLine.ts';

const CANARY = 'sk-live-7f3a9cB2xQ81mZ04';
const HEX = 'c0ffee42'.repeat(8);
const folder = mkdtempSync(join(tmpdir(), 'drover-pasted-'));

const strategies = (more = '') => `strategies:
  - id: one
    use: dca
    capital: 20
    params: { symbol: AAPL, notional: '5' ${more} }
`;
const venue = (more: string) => `venue:
  baseUrl: https://venue.example
  chainId: 143
  product: ProductA
  userAddress: '0x1111111111111111111111111111111111111111'
  ${more}
${strategies()}`;

const forms: Record<string, string> = {
  'a key of the root': `${CANARY}: x\n${strategies()}`,
  'a key without a value': `${CANARY}:\n${strategies()}`,
  'a key of the venue': venue(`${CANARY}: x`),
  'a private key as a key': venue(`'${HEX}': x`),
  'a private key as a key, with 0x': venue(`0x${HEX}: x`),
  'a key of limits': `limits: { ${CANARY}: 5 }\n${strategies()}`,
  'a key that holds more': `${CANARY}: { mode: live }\n${strategies()}`,
  'a key of a strategy': `${strategies()}    ${CANARY}: 1\n`,
  'a parameter': strategies(`, ${CANARY}: 5`),
  'a key that is a list': `? [${CANARY}]\n: x\n${strategies()}`,
  'a key that is a number': `12345678901234567890: x\n${strategies()}`,
  'the same key twice': `${CANARY}: 1\n${CANARY}: 2\n${strategies()}`,
  'a tag': `mode: !${CANARY} live\n${strategies()}`,
  'an anchor': `mode: &${CANARY} live\n${strategies()}`,
  'an alias': `mode: *${CANARY}\n${strategies()}`,
  'a directive': `%${CANARY} 1\n---\n${strategies()}`,
  'a broken line': `mode: live\n${CANARY}\n${strategies()}`,
  'something after a quote': `mode: 'live' ${CANARY}\n${strategies()}`,
  'something after a list': `mode: [] ${CANARY}\n${strategies()}`,
  'the head of a block': `mode: | ${CANARY}\n  x\n${strategies()}`,
  'a value at the start of what cannot start': `mode: @${CANARY}\n${strategies()}`,
  'a value where a mapping belongs': `venue: ${CANARY}\n${strategies()}`,
  'a value where a number belongs': venue(`requestsPerMinute: ${CANARY}`),
  'a value that is not one of the words': `mode: ${CANARY}\n${strategies()}`,
  'the only word of the file': 'DROVER_API_SECRET=correcthorsebatterystaple\n',
  'words of letters where a mapping belongs': `limits: correcthorsebatterystaple\n${strategies()}`,
  'words of letters where a list belongs': 'strategies: correcthorsebatterystaple\n',
  'the name of a key file': venue(`keyFile: ${CANARY}`),
  'the name of a key in the store': venue(`secretName: ${CANARY}`),
};

const printed = /7f3a9c|c0ffee42|correcthorse|1234567890/i;

describe.each(Object.entries(forms))('a secret pasted as %s is printed by no command', (name, text) => {
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.yaml`);
  writeFileSync(file, text);
  test.each([
    ['config explain', ['config', 'explain', '--config', file]],
    ['config explain --json', ['config', 'explain', '--json', '--config', file]],
    ['run', ['run', file, '--until', 'sessions:1', '--state', join(folder, 'no', '\0')]],
    ['run --json --verbose', ['run', file, '--json', '--verbose', '--state', join(folder, 'no', '\0')]],
    ['balance', ['balance', '--config', file]],
  ])('%s', async (_, argv) => {
    const { out, err } = await drover(argv, { env: { HOME: folder }, cwd: '/' });
    expect(out + err).not.toMatch(printed);
    expect(out + err).not.toBe('');
  });
});

test('a fault plan that is not JSON is not quoted', async () => {
  const file = join(folder, 'faults.json');
  writeFileSync(file, `DROVER_API_SECRET=${CANARY}\n`);
  const { code, err } = await drover(['run', '--faults', file], { env: { HOME: folder } });
  expect([code, err]).toEqual([2, expect.stringContaining(`--faults ${file}: is not JSON`)]);
  expect(err).not.toMatch(/DROVER_API|sk-live/);
});

test('an unknown strategy parameter is not named', async () => {
  const file = join(folder, 'letters.yaml');
  writeFileSync(file, strategies(', correcthorsebatterystaple: 5'));
  const { code, err } = await drover(['run', file, '--json'], { env: { HOME: folder } });
  expect(code).toBe(2);
  expect(err).toContain('strategies[0].params.[redacted]');
  expect(err).not.toMatch(printed);
});

test('an unknown key in the venue section is reported with its place, without the key', async () => {
  const file = join(folder, 'told.yaml');
  writeFileSync(file, forms['a key of the venue'] ?? '');
  const { code, err } = await drover(['config', 'explain', '--config', file]);
  expect(code).toBe(2);
  expect(err).toContain('told.yaml:6:3: venue.[redacted]: unknown key. Known here: baseUrl, chainId');
});

test('a misspelt key and a key of another section are named', async () => {
  const file = join(folder, 'slip.yaml');
  writeFileSync(file, `killFile: x\nlimits: { orderNotinal: 5, grossNotional: 5 }\n${strategies()}`);
  const { err } = await drover(['config', 'explain', '--config', file]);
  expect(err).toContain('killFile: unknown key');
  expect(err).toContain('limits.grossNotional: unknown key');
  expect(err).toContain('limits.orderNotinal: unknown key. Did you mean "orderNotional"?');
});

test('a config key that equals a secret of the environment is reported as a secret', async () => {
  const file = join(folder, 'known.yaml');
  writeFileSync(file, venue('short7: x'));
  const { code, err } = await drover(['config', 'explain', '--config', file], {
    env: { DROVER_API_KEY: 'short7' },
  });
  expect([code, err]).toEqual([2, expect.stringContaining('venue.[redacted]: this is a secret')]);
});
