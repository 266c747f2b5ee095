import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { createLog, silentLog, type Log } from '../../src/core/log.ts';
import { MASK, Secrets } from '../../src/core/secrets.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { runs } from '../runs.ts';

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Every form in which a secret may turn up. */
const forms: Record<string, (secret: string) => string> = {
  raw: (secret) => secret,
  'URL-encoded': encodeURIComponent,
  'URL-encoded in lower case': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase()),
  'JSON-escaped': json,
  base64,
  'base64 without padding': (secret) => base64(secret).replaceAll('=', ''),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'hex in upper case': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
};

const KEY = `0x${'aB3'.repeat(21)}f`;

describe('Secrets.redact', () => {
  const secret = 'p/ss "w\\rd"+\n?é';
  const secrets = new Secrets();
  expect(secrets.register(secret)).toBe(secret);
  secrets.register(KEY);

  test.each(Object.entries(forms))('masks a registered secret in the form: %s', (_name, form) => {
    expect(secrets.redact(`before ${form(secret)} after`)).toMatch(/^before \[redacted\]=* after$/);
  });

  test.each([
    ['hex with 0x', KEY],
    ['hex without 0x', KEY.slice(2)],
    ['lower case', KEY.toLowerCase()],
    ['lower case without 0x', KEY.slice(2).toLowerCase()],
    ['upper case', `0x${KEY.slice(2).toUpperCase()}`],
  ])('masks a private key in the form: %s', (_name, form) => {
    expect(secrets.redact(`(${form})`)).toMatch(/^\((0x)?\[redacted\]\)$/);
  });

  test('leaves text without a secret unchanged, and any text while no secret is registered', () => {
    expect(secrets.redact('nothing to see: 12')).toBe('nothing to see: 12');
    expect(new Secrets().redact(secret)).toBe(secret);
  });

  test('does not mask a value as short as an ordinary word', () => {
    const few = new Secrets();
    few.register('buy');
    expect(few.redact('buy 10')).toBe('buy 10');
  });

  test('masks the longer of two secrets whole when one contains the other', () => {
    const both = new Secrets();
    both.register('abcdef');
    both.register('abcdef-ghijkl');
    expect(both.redact('abcdef-ghijkl abcdef')).toBe(`${MASK} ${MASK}`);
  });
});

function logTo(lines: string[], secrets: Secrets): Log {
  const clock = new VirtualClock({ start: epochMs(1_700_000_000_000) });
  return createLog({ level: 'debug', clock, secrets, write: (line) => lines.push(line) });
}

/** The ways in which a text can get into a log line. */
const ways: Record<string, (log: Log, text: string) => void> = {
  'a message': (log, text) => log.info(`said ${text} here`),
  'a field': (log, text) => log.warn({ field: text }, 'said'),
  'the name of a field': (log, text) => log.warn({ [text]: 1 }, 'said'),
  'a field deep down': (log, text) => log.error({ a: [{ b: { c: `x${text}y` } }] }, 'said'),
  'an error': (log, text) => log.error({ err: new Error(text) }, 'said'),
  'the cause of an error': (log, text) =>
    log.error({ err: new Error('outer', { cause: new Error(text) }) }, 'said'),
  'a body quoted in an error': (log, text) => log.error(new Error(`answered ${JSON.stringify({ text })}`)),
  'what a child was bound to': (log, text) => log.child({ bound: text }).info('said'),
};

describe('the log', () => {
  test.each(Object.keys(ways))('masks every form of a secret in %s', (way) => {
    const secret = fc.oneof(
      fc.string({ minLength: 6, maxLength: 60 }),
      fc.string({ minLength: 6, maxLength: 60, unit: 'grapheme' }),
      fc.string({
        minLength: 6,
        maxLength: 12,
        unit: fc.constantFrom('a', '"', '\\', '\n', '\u0001', '/', 'é', '😀'),
      }),
    );
    // Words that are in every line anyway do not prove a leak.
    const telling = secret.filter((text) => !/^[\w .:,"{}-]{0,11}$/.test(text));
    fc.assert(
      fc.property(telling, fc.constantFrom(...Object.values(forms)), (text, form) => {
        const [secrets, lines]: [Secrets, string[]] = [new Secrets(), []];
        secrets.register(text);
        ways[way]?.(logTo(lines, secrets), form(text));
        expect(lines).toHaveLength(1);
        const [line = ''] = lines;
        expect(line).toContain(MASK);
        let leaked = form(text);
        for (let depth = 0; depth < 4; depth++, leaked = json(leaked)) expect(line).not.toContain(leaked);
      }),
      { numRuns: runs(300) },
    );
  });

  test('writes JSON lines with the time of its clock', () => {
    const lines: string[] = [];
    logTo(lines, new Secrets()).info({ order: 'w1.1' }, 'sent');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: 30, time: '2023-11-14T22:13:20.000Z', order: 'w1.1', msg: 'sent' },
    ]);
    expect(lines[0]?.endsWith('\n')).toBe(true);
  });

  test('writes nothing below its level', () => {
    const lines: string[] = [];
    const clock = new VirtualClock({ start: epochMs(0) });
    createLog({ level: 'warn', clock, secrets: new Secrets(), write: (line) => lines.push(line) }).info('x');
    silentLog.fatal('x');
    expect(lines).toEqual([]);
  });
});
