import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { secureBytes } from '../../../src/core/random.ts';
import { Codes } from '../../../src/ops/page/codes.ts';
import { Sessions, type SignedIn } from '../../../src/ops/page/sessions.ts';
import { EndedSessions } from '../../../src/ops/page/sessionStore.ts';

const HOUR = 3_600_000;
const KEY = Buffer.alloc(32, 7);
const operator: SignedIn = { role: 'operate', via: 'code', path: '/', isSecure: false };

/** Sessions of a run on a clock that the test sets. */
function sessionsAt(key = KEY, stateDir: string | null = null) {
  const clock = { at: 1_800_000_000_000, token: 'first', now: () => epochMs(clock.at) };
  const timers = new Map<() => void, number>();
  const sessions = new Sessions({
    key: () => key,
    tokenOf: () => clock.token,
    ended: new EndedSessions(stateDir, clock),
    bytes: secureBytes,
    clock,
    host: {
      after(ms, run) {
        timers.set(run, ms);
        return () => timers.delete(run);
      },
    },
  });
  return { clock, sessions, timers };
}

const pairOf = (cookie: string): string => cookie.split(';')[0] ?? '';

describe('a page session', () => {
  test('is recognised by its cookie among others, also by another run with the same key', () => {
    const { sessions } = sessionsAt();
    const cookie = sessions.begin(operator);
    expect(cookie).toMatch(/^drover-[0-9a-f]{12}=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    expect(sessionsAt().sessions.of(`a=b; ${pairOf(cookie)}; c=d`)).toMatchObject(operator);
  });

  test('is not recognised without a cookie, under another key, or with any character changed', () => {
    const { sessions } = sessionsAt();
    const pair = pairOf(sessions.begin({ ...operator, role: 'read' }));
    expect(sessions.of(null)).toBeNull();
    expect(sessions.of('')).toBeNull();
    expect(sessions.of(pair.replace('=', '=x'))).toBeNull();
    expect(sessionsAt(Buffer.alloc(32, 8)).sessions.of(pair)).toBeNull();
    const from = pair.indexOf('=') + 1;
    for (let at = from; at < pair.length; at++) {
      const altered = `${pair.slice(0, at)}${pair[at] === 'A' ? 'B' : 'A'}${pair.slice(at + 1)}`;
      // The last character of base64 may stand for the same bytes.
      if (at < pair.length - 1) expect(sessions.of(altered), `character ${at}`).toBeNull();
    }
  });

  test('keeps its role when the claims of its cookie are edited', () => {
    const { sessions } = sessionsAt();
    const pair = pairOf(sessions.begin({ ...operator, role: 'read' }));
    const [name = '', value = ''] = pair.split('=');
    const [text = '', mac = ''] = value.split('.');
    const claims = Buffer.from(text, 'base64url').toString().replace('"read"', '"operate"');
    expect(sessions.of(`${name}=${Buffer.from(claims).toString('base64url')}.${mac}`)).toBeNull();
  });

  test('ends 12 hours after its last use, and 7 days after the sign-in', () => {
    const { clock, sessions } = sessionsAt();
    let pair = pairOf(sessions.begin(operator));
    clock.at += 12 * HOUR - 1;
    expect(sessions.of(pair)).not.toBeNull();
    clock.at += 1;
    expect(sessions.of(pair)).toBeNull();

    const began = clock.at;
    pair = pairOf(sessions.begin(operator));
    for (let session = sessions.of(pair); session; session = sessions.of(pair)) {
      const renewed = sessions.renewal(session);
      if (renewed !== null) pair = pairOf(renewed);
      clock.at += HOUR / 2;
      if (clock.at - began > 8 * 24 * HOUR) break;
    }
    expect((clock.at - began) / HOUR).toBe(7 * 24);
  });

  test('is renewed at most once an hour', () => {
    const { clock, sessions } = sessionsAt();
    const session = sessions.of(pairOf(sessions.begin(operator)));
    if (session === null) throw new Error('no session');
    clock.at += HOUR - 1;
    expect(sessions.renewal(session)).toBeNull();
    clock.at += 1;
    expect(sessions.renewal(session)).toMatch(/; Max-Age=43200$/);
  });

  test('that began with a token ends when that token is replaced', () => {
    const { clock, sessions } = sessionsAt();
    const [byToken, byCode] = [
      pairOf(sessions.begin({ ...operator, via: 'token' })),
      pairOf(sessions.begin(operator)),
    ];
    clock.token = 'second';
    expect([sessions.of(byToken), sessions.of(byCode)?.role]).toEqual([null, 'operate']);
  });

  const known = (sessions: Sessions, pair: string) => {
    const session = sessions.of(pair);
    if (session === null) throw new Error('no session');
    return session;
  };

  test('that was ended is refused with each of its cookies, also by other runs on the same folder', () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'drover-'));
    const { clock, sessions } = sessionsAt(KEY, stateDir);
    const beside = sessionsAt(KEY, stateDir).sessions;
    const [early, other] = [pairOf(sessions.begin(operator)), pairOf(sessions.begin(operator))];
    expect(beside.of(early)).not.toBeNull();
    clock.at += 2 * HOUR;
    const late = pairOf(sessions.renewal(known(sessions, early)) ?? '');
    sessions.end(known(sessions, late));
    for (const each of [sessions, beside, sessionsAt(KEY, stateDir).sessions])
      expect([early, late, other].map((pair) => each.of(pair)?.role)).toEqual([
        undefined,
        undefined,
        'operate',
      ]);
  });

  test('ends with all others at once, and a later one does not', () => {
    const { clock, sessions } = sessionsAt();
    const pairs = [operator, operator].map((signedIn) => pairOf(sessions.begin(signedIn)));
    sessions.endAll();
    clock.at += 1;
    const later = pairOf(sessions.begin(operator));
    expect([...pairs, later].map((pair) => sessions.of(pair)?.role)).toEqual([
      undefined,
      undefined,
      'operate',
    ]);
  });

  test('ends its streams when it expires or is ended, whichever comes first', () => {
    const { sessions, timers } = sessionsAt();
    const session = known(sessions, pairOf(sessions.begin(operator)));
    const ended: string[] = [];
    session.atEnd(() => ended.push('stream'));
    session.atEnd(() => ended.push('closed before'))();
    expect([...timers.values()]).toEqual([12 * HOUR]);
    sessions.end(session);
    expect(ended).toEqual(['stream']);
  });

  test('begins after all sessions were ended, even if the clock was a day ahead at that time', () => {
    const { clock, sessions } = sessionsAt();
    clock.at += 24 * HOUR;
    const before = pairOf(sessions.begin(operator));
    sessions.endAll();
    clock.at -= 24 * HOUR;
    const cookie = sessions.begin(operator);
    expect(cookie).toMatch(/ Max-Age=43200$/);
    expect([sessions.of(before), sessions.of(pairOf(cookie))?.role]).toEqual([null, 'operate']);
    clock.at += 12 * HOUR;
    expect(sessions.of(pairOf(cookie))).toBeNull();
  });

  test('over https is bound to https, and at the root also to the host', () => {
    const { sessions } = sessionsAt();
    const root = sessions.begin({ ...operator, isSecure: true });
    expect(root).toMatch(/^__Host-drover-\S+; Path=\/; HttpOnly; SameSite=Strict; Secure; /);
    const inFolder = sessions.begin({ ...operator, isSecure: true, path: '/bots/' });
    expect(inFolder).toMatch(/^__Secure-drover-\S+; Path=\/bots\/; HttpOnly; SameSite=Strict; Secure; /);
    for (const cookie of [root, inFolder]) expect(sessions.of(pairOf(cookie))?.role).toBe('operate');
  });
});

describe('a one-time code', () => {
  const codesAt = () => {
    let made = 0;
    const clock = { at: 0, monotonic: () => clock.at };
    return { clock, codes: new Codes({ clock, bytes: (length) => new Uint8Array(length).fill(++made) }) };
  };

  test('is accepted once', () => {
    const { codes } = codesAt();
    const code = codes.make('read');
    expect(code).toMatch(/^[\w-]{22}$/);
    expect([codes.take(`${code}x`), codes.take(''), codes.take(code), codes.take(code)]).toEqual([
      null,
      null,
      'read',
      null,
    ]);
  });

  test('is accepted within two minutes', () => {
    const { clock, codes } = codesAt();
    const [early, late] = [codes.make('operate'), codes.make('operate')];
    clock.at = 119_999;
    expect(codes.take(early)).toBe('operate');
    clock.at = 120_000;
    expect(codes.take(late)).toBeNull();
  });

  test('is dropped once eight newer ones exist', () => {
    const { codes } = codesAt();
    const made = Array.from({ length: 9 }, () => codes.make('operate'));
    expect(made.map((code) => codes.take(code))).toEqual([null, ...Array<string>(8).fill('operate')]);
  });
});
