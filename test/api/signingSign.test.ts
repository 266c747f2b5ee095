import { describe, expect, test } from 'vitest';
import { canonicalUri, createSigner, signRequest } from '../../src/api/signing.ts';

const moment = { timestamp: '1700000000000', nonce: '00000000-0000-4000-8000-000000000001' };
const secret = 'test-secret';

describe('signRequest', () => {
  test.each([
    {
      method: 'GET',
      uri: '/api/v1/symbols',
      body: '',
      signature: '1470abaac4932d11d439cca2f0e658c8110a8d1423a896fdaa636a923e7c978d',
    },
    {
      method: 'GET',
      uri: '/api/v1/prices/AAPL/history?endTime=1700000000&interval=1m&limit=5',
      body: '',
      signature: '22ee35d72e54887244634bd48fad157529eda0238960f88e0115b7f9b062b2f6',
    },
    {
      method: 'POST',
      uri: '/api/v1/1ct/disable',
      body: '',
      signature: '8a19d2acdc870fb2821ed99c7b47ec5ca7e88b6668e85f11086f4ad82535b792',
    },
    {
      method: 'post',
      uri: '/api/v1/orders/send',
      body: '{"stockAddress":"0x1111111111111111111111111111111111111111","side":"Buy","type":"Market","notional":"10","deadline":1700000060}',
      signature: '99b473cf3764831a2846462ed405a509a1b3dd46f7132aa92f1d8bee57f3003f',
    },
  ])('signs $method $uri with the known signature', ({ signature, ...request }) => {
    expect(signRequest({ ...request, ...moment, secret })).toBe(signature);
  });
});

describe('canonicalUri', () => {
  test.each([
    ['no query', {}, '/p'],
    ['names are sorted', { limit: 5, endTime: 1, interval: '1m' }, '/p?endTime=1&interval=1m&limit=5'],
    ['omitted fields are not sent', { page: undefined, limit: 1 }, '/p?limit=1'],
    ['values are encoded once', { symbols: 'A B,C/D' }, '/p?symbols=A%20B%2CC%2FD'],
  ])('builds the URI: %s', (_name, query, uri) => {
    expect(canonicalUri('/p', query)).toBe(uri);
  });
});

test('the signed headers carry key, scope and signature, and a content type only with a body', () => {
  const sign = createSigner({ apiKey: 'key', secret, chainId: 143, product: 'ProductA' });
  const bare = { method: 'GET', uri: '/api/v1/symbols', body: '', ...moment };

  expect(sign(bare)).toEqual({
    'x-api-key': 'key',
    'x-api-sign': '1470abaac4932d11d439cca2f0e658c8110a8d1423a896fdaa636a923e7c978d',
    'x-api-ts': moment.timestamp,
    'x-api-nonce': moment.nonce,
    'x-api-chain-id': '143',
    'x-api-p': 'ProductA',
  });
  expect(sign({ ...bare, method: 'POST', body: '{}' })).toHaveProperty('content-type', 'application/json');
});
