import { describe, expect, test } from 'vitest';
import { labelOf, type Repeat, type Route } from '../../src/api/endpoint.ts';
import { readAnswer } from '../../src/api/envelope.ts';
import { ASSUMED } from '../../src/api/assumptions/assumptions.ts';
import { failureOf, refusalOf } from '../../src/api/failures.ts';
import { MASK, Secrets } from '../../src/core/secrets.ts';

const secrets = new Secrets();
secrets.register('s3cr3t-value');

const route = (repeat: Repeat): Route =>
  repeat === 'always'
    ? { method: 'GET', path: '/api/v1/orders', access: 'READ_ONLY', repeat, lane: 'reconcile' }
    : { method: 'POST', path: '/api/v1/orders/send', access: 'WRITABLE', repeat, lane: 'send' };

const envelope = (code: number, errMsg: string, data: unknown = null) =>
  JSON.stringify({ code, errMsg, uuid: 'u-1', t: 1_700_000_000_000, data });

const failure = (status: number, body: string, repeat: Repeat) => {
  const answer = readAnswer({ status, headers: {}, body });
  if (answer.kind === 'success') throw new Error('a success');
  return failureOf(answer, route(repeat), {
    redact: (text) => secrets.redact(text),
    refusals: ASSUMED.refusals,
  });
};

const SESSION =
  'Market order is only supported during the regular trading session, current session: after-hours';

describe('a failed response', () => {
  test.for<[name: string, status: number, body: string, onSend: string, onRead: string]>([
    ['opaque 401 in a 400', 400, envelope(401, 'unauthorized'), 'UNAUTHORIZED', 'UNAUTHORIZED'],
    ['a real 401', 401, '', 'UNAUTHORIZED', 'UNAUTHORIZED'],
    ['a real 403', 403, '<html>', 'UNAUTHORIZED', 'UNAUTHORIZED'],
    ['a documented refusal', 400, envelope(10_002, SESSION), 'VENUE_REFUSED', 'VENUE_REFUSED'],
    ['a documented refusal under any code', 400, envelope(500, SESSION), 'VENUE_REFUSED', 'VENUE_REFUSED'],
    ['any other refusal', 400, envelope(10_000, 'something went wrong'), 'OUTCOME_UNKNOWN', 'VENUE_REFUSED'],
    ['a refusal in a 200', 200, envelope(10_003, 'delegate call failed'), 'OUTCOME_UNKNOWN', 'VENUE_REFUSED'],
    ['a refusal in a 500', 500, envelope(10_002, SESSION), 'OUTCOME_UNKNOWN', 'NO_ANSWER'],
    ['502', 502, '<html>bad gateway</html>', 'OUTCOME_UNKNOWN', 'NO_ANSWER'],
    ['429', 429, '', 'RATE_LIMITED', 'NO_ANSWER'],
    ['a redirect', 302, '', 'OUTCOME_UNKNOWN', 'NO_ANSWER'],
    ['a page', 200, '<html>hotel wifi</html>', 'OUTCOME_UNKNOWN', 'NO_ANSWER'],
    ['nothing', 200, '', 'OUTCOME_UNKNOWN', 'NO_ANSWER'],
    ['no envelope', 200, '{"txHash":"0x"}', 'OUTCOME_UNKNOWN', 'NO_ANSWER'],
    ['half an envelope', 200, '{"code":200,"da', 'OUTCOME_UNKNOWN', 'NO_ANSWER'],
    ['a success in a 400', 400, envelope(200, ''), 'OUTCOME_UNKNOWN', 'NO_ANSWER'],
  ])('has the expected error code on a send and on a read: %s', ([, status, body, onSend, onRead]) => {
    expect(failure(status, body, 'never').code).toBe(onSend);
    expect(failure(status, body, 'always').code).toBe(onRead);
  });

  test('that says unauthorized leaves a send unproven, since it may answer a second delivery', () => {
    for (const [status, body] of [
      [400, envelope(401, 'unauthorized')],
      [403, '<html>'],
    ] as const)
      expect([failure(status, body, 'never').effect, failure(status, body, 'always').effect]).toEqual([
        'unknown',
        'none',
      ]);
  });

  test('is quoted with its secrets masked before it is cut', () => {
    const page = `${'x'.repeat(295)}s3cr3t-value and more`;

    expect(failure(502, page, 'never').details['excerpt']).toBe(`${'x'.repeat(295)}${MASK}`.slice(0, 300));
  });

  test('leads to an error with text, code and uuid, and without any secret the venue echoes', () => {
    const error = failure(400, envelope(10_001, 'no order for s3cr3t-value'), 'always');

    expect(error.message).toBe(`${labelOf(route('always'))}: no order for ${MASK} (code 10001, uuid u-1)`);
    expect(error.details).toMatchObject({ status: 400, code: 10_001, errMsg: `no order for ${MASK}` });
    expect(JSON.stringify([error.details, failure(502, '<p>s3cr3t-value', 'never').message])).not.toContain(
      's3cr3t',
    );
  });
});

describe('a refusal text of the venue', () => {
  test.each([
    [
      'A market order is only supported during the regular trading session. Current session: pre-market',
      'session',
      'pre-market',
    ],
    [
      'market orders are only supported during the regular trading session (now OVERNIGHT)',
      'session',
      'OVERNIGHT',
    ],
    [
      'Market order only supported in regular trading session; current session is closed',
      'session',
      'closed',
    ],
    ['timeInForce only supports DAY', 'day-only', undefined],
    ['deadline expired', 'deadline', undefined],
    ['deferred sell is not allowed or the address is restricted', 'deferred', undefined],
    ['notional is required for market buy', 'validation', undefined],
    ['price: Invalid input', 'validation', undefined],
    ['creditAmount must be greater than 0', 'validation', undefined],
    ['one click delegation is not enabled', 'delegation', undefined],
    ['signature is not that of the user on the prepared payload', 'signature', undefined],
    ['order is not open or already canceling', 'cancel', undefined],
  ])('is recognised as documented: %s', (text, kind, session) => {
    expect(refusalOf(text, ASSUMED.refusals)).toEqual(session === undefined ? { kind } : { kind, session });
  });

  test.each([
    'internal error',
    'transaction reverted: deadline expired',
    'execution reverted: timeInForce only supports DAY',
    'tx submitted, validation failed',
    'internal error: unexpected type, response invalid',
    'server-side error: answer missing',
    'upstream timeout: price must be asked again',
    'failed to get the order: quantity missing',
    'relayer: price missing',
    'timed out while gasLimit is required',
    'gas price is invalid',
    'off-price: invalid',
    '',
  ])('%j proves nothing', (text) => {
    expect(refusalOf(text, ASSUMED.refusals)).toBeNull();
  });
});
