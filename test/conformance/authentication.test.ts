import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UnauthorizedError } from '../../src/core/errors.ts';
import { IndependentClient, type Credentials, type Reply, type Tampering } from './independent.ts';
import { failure, startStage, type Stage } from './stage.ts';

let stage: Stage;
let key: Credentials;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());
beforeEach(() => {
  key = { ...stage.key(0), chainId: 143, product: 'ProductA' };
});

const client = (credentials: Partial<Credentials> = {}) =>
  new IndependentClient(stage.info.baseUrl, { ...key, ...credentials }, () => stage.now());
const reading = (tampering: Tampering = {}, credentials: Partial<Credentials> = {}) =>
  client(credentials).request('GET', '/symbols', { tampering });
const prepareBody = () => ({ deadline: stage.deadline(300) });

/** Everything but the time: the response does not say what was wrong. */
const REFUSED = { status: 400, code: 401, errMsg: 'unauthorized', data: null, uuid: null };

const control = (change: object) => stage.control('keys', { apiKey: key.apiKey, ...change });
/** Sends a request while the key is changed, then restores the key. */
async function whileKey(change: object, back: object): Promise<Reply> {
  await control(change);
  const reply = await reading();
  await control(back);
  return reply;
}

test('a request signed by the specification gets a response', async () => {
  expect(await reading()).toMatchObject({ status: 200, code: 200, errMsg: '', t: stage.now() });
});

describe('an unauthorized request', () => {
  const here = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
  const cases: Readonly<Record<string, () => Promise<Reply>>> = {
    'an unknown key': () => reading({}, { apiKey: 'nobody' }),
    'no key': () => reading({ headers: { 'x-api-key': undefined } }),
    'another secret': () => reading({}, { secret: 'test-secret' }),
    'no signature': () => reading({ headers: { 'x-api-sign': undefined } }),
    'a signature cut short': () => reading({ headers: { 'x-api-sign': 'ab' } }),
    'a timestamp 45.001 s old': () => reading({ ts: stage.now() - 45_001 }),
    'a timestamp 45.001 s ahead': () => reading({ ts: stage.now() + 45_001 }),
    'a timestamp in seconds': () => reading({ ts: Math.floor(stage.now() / 1000) }),
    'a timestamp other than the signed one': () =>
      reading({ headers: { 'x-api-ts': String(stage.now() + 1) } }),
    'no timestamp': () => reading({ headers: { 'x-api-ts': undefined } }),
    'a nonce that is no UUID': () => reading({ nonce: '1' }),
    'no nonce': () => reading({ headers: { 'x-api-nonce': undefined } }),
    'a nonce used before': async () => {
      const nonce = randomUUID();
      expect((await reading({ nonce })).code).toBe(200);
      return reading({ nonce });
    },
    'another chain': () => reading({}, { chainId: 1 }),
    'another product': () => reading({}, { product: 'ProductB' }),
    'the product in another case': () => reading({}, { product: 'producta' }),
    'no scope': () => reading({ headers: { 'x-api-chain-id': undefined, 'x-api-p': undefined } }),
    'a body changed after signing': () =>
      client().request('POST', '/1ct/prepare', {
        body: prepareBody(),
        tampering: { sentBody: JSON.stringify({ deadline: stage.deadline(301) }) },
      }),
    'a body with the same meaning and other bytes': () =>
      client().request('POST', '/1ct/prepare', {
        body: prepareBody(),
        tampering: { sentBody: JSON.stringify(prepareBody(), null, 1) },
      }),
    'a body where none was signed': () =>
      client().request('POST', '/1ct/disable', { tampering: { sentBody: '{}' } }),
    'a write with a key that reads': () =>
      client(stage.key(0, 'READ_ONLY')).request('POST', '/1ct/prepare', { body: prepareBody() }),
    'a key that is off': () => whileKey({ active: false }, { active: true }),
    'a key that has expired': () =>
      whileKey({ expiresAt: new Date(stage.now()).toISOString() }, { expiresAt: null }),
    'another address': () => whileKey({ ipWhitelist: ['203.0.113.7'] }, { ipWhitelist: here }),
    'no address at all': () => whileKey({ ipWhitelist: [] }, { ipWhitelist: here }),
    'a path that there is not, unsigned': () =>
      client().request('GET', '/nowhere', { tampering: { headers: { 'x-api-sign': undefined } } }),
  };

  test.each(Object.keys(cases))('gets the same refusal as any other: %s', async (name) => {
    const { t, ...reply } = (await cases[name]?.()) as Reply;
    expect(reply).toEqual(REFUSED);
    expect(t).toBe(stage.now());
    expect((await reading()).code).toBe(200);
  });
});

test.each([-45_000, 45_000])('a timestamp %d ms off is still accepted', async (off) => {
  expect((await reading({ ts: stage.now() + off })).code).toBe(200);
});

test('a nonce belongs to its key, may be in capitals, and is refused again in either case', async () => {
  const nonce = randomUUID();
  expect((await reading({ nonce: nonce.toUpperCase() })).code).toBe(200);
  expect((await reading({ nonce })).code).toBe(401);
  expect((await reading({ nonce }, stage.key(1))).code).toBe(200);
});

test('a nonce used 90 s ago is refused while its timestamp could still be valid', async () => {
  const [nonce, ts] = [randomUUID(), stage.now() + 45_000];
  expect((await reading({ nonce, ts })).code).toBe(200);
  await stage.wait(90_000);
  expect((await reading({ nonce, ts })).code).toBe(401);
});

test('a signature in capitals is accepted, and the query is signed in the order of its names', async () => {
  const query = { limit: 1, endTime: stage.deadline(0), interval: '1d' };
  expect(await client().data('GET', '/prices/AAPL/history', { query })).toHaveLength(1);
});

test('an unauthorized error names the request and the response, and not the secret', async () => {
  const wrong = stage.client(0, { product: 'producta' });
  const error = await failure(wrong.oneClickStatus());
  expect(error).toBeInstanceOf(UnauthorizedError);
  expect(error.message).toBe(
    'GET /api/v1/1ct/status: unauthorized (code 401, uuid -). The venue does not say why. It may be the key, the secret, the scope, the address or the clock: run `drover doctor`',
  );
  expect(error.effect).toBe('none');
  expect(JSON.stringify(error.details)).not.toContain(key.secret);
});
