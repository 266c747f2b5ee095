import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/core/errors.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { parseConfig, type Override } from '../../../src/app/config/load.ts';
import { problemsOf } from '../../../src/app/config/problems.ts';
import { z } from 'zod';

const parse = (text: string, overrides: readonly Override[] = []) =>
  parseConfig(text, { file: 'my.yaml', cwd: '/home/me', secrets: new Secrets(), overrides });

function errorOf(text: string, overrides: readonly Override[] = []): ConfigError {
  try {
    parse(text, overrides);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('no error');
}

const strategies = `strategies:
  - id: one
    use: dca
    capital: '1000'
`;
const venue = (more: string) => `venue:
  baseUrl: https://venue.example/rwa/trading
  chainId: 143
  product: ProductA
  userAddress: '0x1111111111111111111111111111111111111111'
  ${more}
${strategies}`;

const cases: Record<string, [text: string, message: string]> = {
  'an unknown key': [
    `limits:\n  orderNotinal: '5'\n${strategies}`,
    'my.yaml:2:3: limits.orderNotinal: unknown key. Did you mean "orderNotional"?',
  ],
  'a key nothing like any other': [
    `${strategies}    foo: 1\n`,
    'my.yaml:5:5: strategies[0].foo: unknown key. Known here: id, use, capital, params, series, fetch, allow, allowOrders, rest, warmUp, trade, limits',
  ],
  'a key that belongs one level up': [
    `notify:\n  channels:\n    - { id: phone, kind: slack, hears: [alarm], downMinutes: 3 }\n${strategies}`,
    'my.yaml:3:49: notify.channels[0].downMinutes: unknown key. It belongs in notify, not here',
  ],
  'a key of the top level in a section': [
    `limits:\n  mode: live\n${strategies}`,
    'my.yaml:2:3: limits.mode: unknown key. It belongs at the top level, not here',
  ],
  'a word that is not on offer': [
    `mode: dryrun\n${strategies}`,
    'my.yaml:1:7: mode: must be emulator, dry-run or live, not "dryrun". Did you mean dry-run?',
  ],
  'a group of calls that there is not': [
    `signing: { allow: [withdrawal] }\n${strategies}`,
    'my.yaml:1:20: signing.allow[0]: must be deposits, withdrawals, stockMoves, withDeposit, repay, delegation, ' +
      'record, calldata or unlisted, not "withdrawal". Did you mean withdrawals?',
  ],
  'a buffer that is full before it is empty': [
    `treasury:\n  cashBuffer: { below: '500', upTo: '500', maxPerDay: '900' }\n${strategies}`,
    'my.yaml:2:37: treasury.cashBuffer.upTo: must be more than below. Deposits fill the buffer from below up to it',
  ],
  'a policy without its cap': [
    `treasury:\n  repayDebt: {}\n${strategies}`,
    'my.yaml:2:3: treasury.repayDebt.maxPerDay: is missing. About this setting: Maximum value that is repaid from stock of the wallet in any 24 hours, in mUSD',
  ],
  'a treasury that does not know what the wallet has to approve': [
    `mode: live\ntreasury: { repayDebt: { maxPerDay: 5 } }\n${venue('')}`,
    'my.yaml:3:1: venue.spender: is missing, and the treasury checks what the wallet has approved for it. ' +
      'Add it, or venue.router if that contract takes the tokens',
  ],
  'approvals without a node': [
    `mode: live\ntreasury: { approve: { USDC: 5 } }\n${venue(`router: '0x${'ab'.repeat(20)}'`)}`,
    'my.yaml:3:1: venue.rpcUrl: is missing, and treasury.approve sends through it. ' +
      'Add it, or approve by hand: `drover wallet approve`',
  ],
  'orders of the wallet’s own without the contract that they call': [
    `mode: live\nsubmission: calldata\n${venue('rpcUrl: https://node.example')}`,
    'my.yaml:3:1: venue.router: is missing, and submission: calldata needs it. ' +
      'Add it, or use submission: one-click; `drover emulator` prints its own',
  ],
  'the wrong case of a product': [
    venue('').replace('ProductA', 'producta'),
    'my.yaml:4:12: venue.product: must be ProductA or ProductB, not "producta". Did you mean ProductA?',
  ],
  'a text where a number belongs': [
    venue('').replace('143', '"143"'),
    'my.yaml:3:12: venue.chainId: must be a whole number, not "143". About this setting: Chain that the API key is for, such as 143',
  ],
  'a mapping where there is a number': [
    `polling: 5\n${strategies}`,
    'my.yaml:1:10: polling: must be a mapping (key: value), not 5. About this setting: Polling intervals',
  ],
  'an amount with a thousands separator': [
    strategies.replace('1000', '1,000'),
    'my.yaml:4:14: strategies[0].capital: "1,000" is not a plain decimal number such as 1000 or 0.5. ' +
      'About this setting: mUSD that this strategy may use; with 0 it only sells what it has. No strategy touches the money of another',
  ],
  'an amount in exponents': [
    `limits: { dayLoss: 1e400 }\n${strategies}`,
    'my.yaml:1:20: limits.dayLoss: "1e400" is not a plain decimal number such as 1000 or 0.5. ' +
      'About this setting: Loss since the session opened, in mUSD, that stops further buying',
  ],
  'an amount of nothing': [
    `limits: { dayLoss: 0 }\n${strategies}`,
    'my.yaml:1:20: limits.dayLoss: must be more than 0. ' +
      'About this setting: Loss since the session opened, in mUSD, that stops further buying',
  ],
  'an amount a number cannot hold': [
    strategies.replace("'1000'", '0.12345678901234567'),
    'my.yaml:4:14: strategies[0].capital: 0.12345678901234566 has too many digits for a number to be exact: ' +
      'put quotes around it. About this setting: mUSD that this strategy may use; with 0 it only sells what it has. No strategy touches the money of another',
  ],
  'a number out of range': [
    `orders: { deadlineSeconds: 121 }\n${strategies}`,
    'my.yaml:1:28: orders.deadlineSeconds: must be at most 120, not 121. About this setting: Time in which a sent order may be mined, in seconds',
  ],
  'numbers in forms that people read differently': [
    `emulator: { seed: 010 }\n${strategies}`,
    'my.yaml:1:19: emulator.seed: 010 is not a plain decimal number. Write it like 12 or 0.5',
  ],
  'a time of no calendar': [
    `emulator: { start: '2026-02-30T09:30' }\n${strategies}`,
    'my.yaml:1:20: emulator.start: "2026-02-30T09:30" is not a time such as 2026-06-15T09:25 (New York) or ' +
      '2026-06-15T13:25Z. About this setting: When the emulated day starts: New York time, or a time with a zone',
  ],
  'a value that is missing': [
    strategies.replace('    use: dca\n', ''),
    'my.yaml:2:5: strategies[0].use: is missing. About this setting: A bundled strategy by its name, or a file (./my.ts) with a default export',
  ],
  'no strategies': [
    'strategies: []\n',
    'my.yaml:1:1: strategies: must have at least one entry, not an empty list. About this setting: The strategies that run, such as `- { id: savings, use: dca, capital: 1000, params: { symbol: SPY, notional: 50 } }`',
  ],
  'two strategies of one id': [
    `${strategies}  - id: one\n    use: dca\n    capital: 5\n`,
    'my.yaml:5:9: strategies[1].id: "one" is also the id of strategies[0]. Rename one',
  ],
  'plain http to another machine': [
    venue('').replace('https://', 'http://'),
    'my.yaml:2:12: venue.baseUrl: must start with https:// (plain http is for this machine only: 127.0.0.1, [::1], ' +
      'localhost), not "http://venue.example/rwa/trading". ' +
      'About this setting: Address of the venue, up to but not including /api/v1. https, or http on this machine',
  ],
  'a host that only looks like this machine': [
    venue('').replace('https://venue.example', 'http://127.0.0.1.evil.example'),
    'my.yaml:2:12: venue.baseUrl: must start with https:// (plain http is for this machine only: 127.0.0.1, [::1], ' +
      'localhost), not "http://127.0.0.1.evil.example/rwa/trading". ' +
      'About this setting: Address of the venue, up to but not including /api/v1. https, or http on this machine',
  ],
  'following a clock that is not on this machine': [
    venue('clock: follow\n  controlUrl: https://127.0.0.1:9'),
    'my.yaml:2:12: venue.baseUrl: must be on this machine with clock: follow. Use clock: system',
  ],
  'a control address without a use': [
    venue('controlUrl: http://127.0.0.1:9'),
    'my.yaml:6:15: venue.controlUrl: is only for clock: follow. Remove it, or add clock: follow',
  ],
  'live without a venue': [
    `mode: live\n${strategies}`,
    'my.yaml:1:1: venue: is missing, and mode live needs it. ' +
      'Add baseUrl, chainId, product and userAddress; config/live.example.yaml shows how',
  ],
  'a key that reaches for the prototype': [
    `${strategies}    params: { __proto__: { polluted: 1 } }\n`,
    'my.yaml:5:15: strategies[0].params.__proto__: this key is not allowed',
  ],
  'an alias': [
    `emulator: &e { seed: 1 }\n${strategies}    params: { x: *e }\n`,
    'my.yaml:1:14: emulator: anchors and aliases are not supported. Write the value out\n' +
      'my.yaml:6:18: strategies[0].params.x: anchors and aliases are not supported. Write the value out',
  ],
  'text that is not YAML': [
    'mode: [live\nlog: {}\n',
    'my.yaml:2:1: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]. Indent it further, or close it',
  ],
  'the same key twice': [
    'mode: live\nmode: live\n',
    'my.yaml:2:1: not valid YAML: Map keys must be unique. Remove one of them',
  ],
  'two documents': [
    `${strategies}---\n${strategies}`,
    'my.yaml:5:1: the file holds more than one YAML document. Remove the line --- and what follows it',
  ],
  'a tag that would run code': [
    'mode: !!js/function "x"\n',
    'my.yaml:1:7: not valid YAML: a tag (!) is not supported here. Write the value without it',
  ],
  'a mapping in order, as other programs write it': [
    `${strategies}limits: !!omap [{ orderNotional: 5 }]\n`,
    'my.yaml:5:9: not valid YAML: a tag (!) is not supported here. Write the value without it',
  ],
  'a set, in the words of an older YAML': [
    `%YAML 1.1\n---\n${strategies}limits: !!set { orderNotional }\n`,
    'my.yaml:7:9: not valid YAML: a tag (!) is not supported here. Write the value without it',
  ],
  'brackets without end': [`mode: ${'['.repeat(900)}`, 'my.yaml:1:1: brackets are nested more than 50 deep'],
  'brackets without end, over lines': [
    `mode: live\nlog: ${'[\n'.repeat(60)}`,
    'my.yaml:52:1: brackets are nested more than 50 deep',
  ],
  'keys of keys without end': [
    `mode: live\n${'? '.repeat(490)}`,
    'my.yaml:2:1: lists and mappings are nested more than 50 deep',
  ],
  'lists of lists without end': [
    `- 1\n${'- '.repeat(490)}`,
    'my.yaml:2:1: lists and mappings are nested more than 50 deep',
  ],
  'mappings in mappings without end': [
    Array.from({ length: 200 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
    'my.yaml:51:1: lists and mappings are nested more than 50 deep',
  ],
  'a very long line': ['x'.repeat(1001), 'my.yaml:1:1: a line is longer than 1000 characters'],
};

test.each(Object.entries(cases))('%s is refused at its place', (_name, [text, message]) => {
  expect(errorOf(text).message).toBe(message);
});

test('all problems are reported at once, in the order of the file, and as data', () => {
  const error = errorOf(`mode: demo\nemulator: { spede: 5 }\nstrategies:\n  - id: A\n    capital: 0x10\n`);
  expect(error.message.split('\n').map((line) => line.split(': ', 2).join(' '))).toEqual([
    'my.yaml:1:7 mode',
    'my.yaml:2:13 emulator.spede',
    'my.yaml:4:5 strategies[0].use',
    'my.yaml:4:9 strategies[0].id',
    'my.yaml:5:14 strategies[0].capital',
  ]);
  expect(error.details['problems']).toContainEqual({
    where: 'my.yaml:2:13',
    line: 2,
    column: 13,
    path: 'emulator.spede',
    problem: 'unknown key',
    remedy: 'Did you mean "speed"?',
  });
});

test('a tab in the indentation is one problem, not one per parser error', () => {
  const { message } = errorOf(
    'mode: emulator\nstrategies:\n\t- id: one\n\t  use: dca\n\t  capital: 1000\n\t  params: { symbol: SPY }\n',
  );
  expect(message.split('\n').filter((line) => line.includes('my.yaml:'))).toHaveLength(1);
});

test('two duplicate keys are two problems', () => {
  const { message } = errorOf(`mode: emulator\nmode: live\nstate: a\nstate: b\n${strategies}`);
  expect(message.match(/Map keys must be unique/g)).toHaveLength(2);
});

test('a flag overrides the file, and its problems name the flag', () => {
  const flag = (value: unknown): Override => ({ path: ['emulator', 'speed'], value, flag: '--speed' });
  expect(parse(`emulator: { speed: 5 }\n${strategies}`, [flag('max')]).config.emulator.speed).toBe('max');
  expect(errorOf(strategies, [flag('fast')]).message).toBe(
    '--speed: emulator.speed: must be a number or "max", not "fast". ' +
      'About this setting: Multiple of real speed; `max` jumps from one event to the next',
  );
});

test('an address with a mistyped digit is refused by its checksum', () => {
  const at = (address: string) => `mode: dry-run\n${venue(`router: '${address}'`)}`;
  const typed = '0x3d467aB1CD9994491461b101dF8Ab942669F5113';
  expect(() => parse(at(typed))).not.toThrow();
  expect(() => parse(at(typed.toLowerCase()))).not.toThrow();
  expect(errorOf(at(typed.replace('13', '14'))).message).toMatch(
    /^my\.yaml:7:11: venue\.router: does not match the checksum in its upper and lower case/,
  );
});

test('an address needs no quotes', () => {
  const text = venue('').replaceAll("'0x", '0x').replaceAll("1'\n", '1\n');
  expect(parse(text).config.venue?.userAddress).toBe('0x1111111111111111111111111111111111111111');
});

test.each([
  [z.number().multipleOf(2), 11, 'must be a multiple of 2, not 11'],
  [z.string().regex(/^[A-Z]+$/), 'spy', 'must be text of the form /^[A-Z]+$/, not "spy"'],
  [z.iso.date(), '15/06', 'must be text of the form date, not "15/06"'],
] as const)(
  'a problem names the rule of the schema, not the type of the value (%#)',
  (schema, value, problem) => {
    const { error } = schema.safeParse(value);
    expect(problemsOf(error?.issues ?? [], { schema, value, secrets: new Secrets() })).toMatchObject([
      { problem },
    ]);
  },
);
