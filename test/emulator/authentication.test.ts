import { describe, expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import type { VenueRequest } from '../../src/emulator/index.ts';
import type { ApiKey } from '../../src/emulator/state/state.ts';
import { sign, type Call } from './client.ts';
import { Bench } from './harness.ts';
import type { VenueReply } from '../../src/emulator/state/constants.ts';

const PATH = '/api/v1/symbols';
const NONCE = '00000000-0000-4000-8000-0000000000ff';

type Given = Partial<VenueRequest> & Pick<VenueRequest, 'method' | 'uri' | 'headers'>;

/** Answers one request as it is given, byte for byte. */
function answer(venue: Bench, given: Given): VenueReply {
  const request = { body: '', ip: '127.0.0.1', ...given };
  const { reply } = venue.machine.handle({ request, recovered: null }, venue.now);
  if (!reply) throw new Error('the connection broke');
  return reply;
}

const signed = (venue: Bench, call: Partial<Call> = {}, key: ApiKey = venue.key()) =>
  sign(key, { method: 'GET', path: PATH, ts: venue.now, nonce: NONCE, ...call });

type Case = [name: string, spoil: (venue: Bench) => Given];

const withHeader =
  (name: string, value: string): Case[1] =>
  (venue) => {
    const request = signed(venue);
    return { ...request, headers: { ...request.headers, [name]: value } };
  };

const withKey =
  (change: Partial<ApiKey>): Case[1] =>
  (venue) => {
    Object.assign(venue.key(), change);
    return signed(venue);
  };

const cases: Case[] = [
  ['an unknown key', withHeader('x-api-key', 'nobody')],
  ['a prototype for a key', withHeader('x-api-key', '__proto__')],
  ['no headers at all', (venue) => ({ ...signed(venue), headers: {} })],
  ['a signature of another secret', (venue) => signed(venue, {}, { ...venue.key(), secret: 'other' })],
  ['a short signature', withHeader('x-api-sign', 'abcd')],
  ['a signature that is not hex', withHeader('x-api-sign', 'z'.repeat(64))],
  ['another path than the signed one', (venue) => ({ ...signed(venue), uri: '/api/v1/config' })],
  ['a query that was added after signing', (venue) => ({ ...signed(venue), uri: `${PATH}?x=1` })],
  ['another method than the signed one', (venue) => ({ ...signed(venue), method: 'POST' })],
  ['a body that was changed after signing', (venue) => ({ ...signed(venue), body: '{}' })],
  ['another timestamp than the signed one', withHeader('x-api-ts', '1781532000001')],
  ['a timestamp 45.001 s old', (venue) => signed(venue, { ts: venue.now - 45_001 })],
  ['a timestamp 45.001 s ahead', (venue) => signed(venue, { ts: venue.now + 45_001 })],
  ['a UUID of another version', (venue) => signed(venue, { nonce: '123e4567-e89b-12d3-a456-426614174000' })],
  ['a nonce that is no UUID', (venue) => signed(venue, { nonce: 'one' })],
  [
    'another chain',
    (venue) => sign({ ...venue.key(), chainId: '1' }, { method: 'GET', path: PATH, ts: venue.now }),
  ],
  ['the product in another case', withHeader('x-api-p', 'producta')],
  ['a key that is not active', withKey({ active: false })],
  ['a key that has expired', withKey({ expiresAt: epochMs(Date.parse('2026-06-15T14:00:00Z')) })],
  ['an address outside the whitelist', (venue) => ({ ...signed(venue), ip: '10.0.0.1' })],
  ['an empty whitelist', withKey({ ipWhitelist: [] })],
  ['a READ_ONLY key that posts', (venue) => signed(venue, { method: 'POST' }, venue.key(0, 'READ_ONLY'))],
  ['a READ_ONLY key that deletes', (venue) => signed(venue, { method: 'DELETE' }, venue.key(0, 'READ_ONLY'))],
];

describe("the emulator's authentication", () => {
  const refusal = answer(new Bench(), { method: 'GET', uri: PATH, headers: {} });

  test('refuses with HTTP 400 and code 401, and gives no reason', () => {
    expect(refusal.status).toBe(400);
    expect(JSON.parse(refusal.body)).toMatchObject({
      code: 401,
      errMsg: 'unauthorized',
      data: null,
      uuid: null,
    });
  });

  test.each(cases)('gives the same refusal for %s', (_name, spoil) => {
    const venue = new Bench();
    expect(answer(venue, spoil(venue))).toEqual(refusal);
  });

  test.each(cases)('uses up no nonce for %s', (_name, spoil) => {
    const venue = new Bench();
    const before = { ...venue.key() };
    answer(venue, spoil(venue));
    Object.assign(venue.key(), before);
    expect(answer(venue, signed(venue)).status).toBe(200);
  });

  test('accepts a nonce once, whatever its case', () => {
    const venue = new Bench();
    expect(answer(venue, signed(venue)).status).toBe(200);
    expect(answer(venue, signed(venue))).toEqual(refusal);
    expect(answer(venue, signed(venue, { nonce: NONCE.toUpperCase() }))).toEqual(refusal);
  });

  test('remembers a nonce as long as its request could still be accepted', () => {
    const venue = new Bench();
    const ahead = signed(venue, { ts: venue.now + 45_000 });
    expect(answer(venue, ahead).status).toBe(200);
    venue.wait(90_000);
    expect(answer(venue, ahead)).toMatchObject({ status: 400 });
    venue.wait(1);
    expect(answer(venue, signed(venue)).status).toBe(200);
  });

  test('accepts the same nonce for each key', () => {
    const venue = new Bench();
    expect(answer(venue, signed(venue)).status).toBe(200);
    expect(answer(venue, signed(venue, {}, venue.key(1))).status).toBe(200);
  });

  test('accepts a timestamp 45 s ahead, a signature in upper case, and a query sorted before signing', () => {
    const venue = new Bench();
    const query = { interval: '1d', endTime: Math.floor(venue.now / 1000), limit: 2 };
    const request = signed(venue, { path: '/api/v1/prices/AAPL/history', query, ts: venue.now - 45_000 });
    const [path = '', text = ''] = request.uri.split('?');
    const uri = `${path}?${text.split('&').reverse().join('&')}`;
    const headers = { ...request.headers, 'x-api-sign': request.headers['x-api-sign']?.toUpperCase() };
    expect(uri).not.toBe(request.uri);
    expect(answer(venue, { ...request, uri, headers }).status).toBe(200);
  });

  test.each([
    ['GET', '/api/v1/symbols', '', '1470abaac4932d11d439cca2f0e658c8110a8d1423a896fdaa636a923e7c978d'],
    ['POST', '/api/v1/1ct/disable', '', '8a19d2acdc870fb2821ed99c7b47ec5ca7e88b6668e85f11086f4ad82535b792'],
    [
      'GET',
      '/api/v1/prices/AAPL/history?endTime=1700000000&interval=1m&limit=5',
      '',
      '22ee35d72e54887244634bd48fad157529eda0238960f88e0115b7f9b062b2f6',
    ],
    [
      'POST',
      '/api/v1/orders/send',
      '{"stockAddress":"0x1111111111111111111111111111111111111111","side":"Buy","type":"Market","notional":"10","deadline":1700000060}',
      '99b473cf3764831a2846462ed405a509a1b3dd46f7132aa92f1d8bee57f3003f',
    ],
  ])('accepts the published signature of %s %s', (...[method, uri, body, signature]) => {
    const venue = new Bench({ start: epochMs(1_700_000_000_000) });
    const secret = 'test-secret';
    Object.assign(venue.key(), { secret });
    const headers = {
      'x-api-key': venue.key().apiKey,
      'x-api-sign': signature,
      'x-api-ts': '1700000000000',
      'x-api-nonce': '00000000-0000-4000-8000-000000000001',
      'x-api-chain-id': '143',
      'x-api-p': 'ProductA',
    };
    expect(JSON.parse(answer(venue, { method, uri, headers, body }).body)).not.toMatchObject({ code: 401 });
  });

  test('reveals an unknown path only to an authenticated caller', () => {
    const venue = new Bench();
    expect(venue.ask({ method: 'GET', path: '/api/v1/nothing' })).toMatchObject({
      status: 400,
      body: { code: 10_001, errMsg: 'no endpoint GET /api/v1/nothing' },
    });
  });
});
