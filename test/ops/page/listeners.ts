import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { epochMs } from '../../../src/core/brand.ts';
import { machine, systemClock, type Clock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { secureBytes } from '../../../src/core/random.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { openControl, type ControlOptions } from '../../../src/ops/control/control.ts';
import type { Daemon } from '../../../src/ops/daemon.ts';
import { ask, type Answered, type Asked } from '../control/asking.ts';
import { OPERATE, READ } from '../control/bareServer.ts';

/** Folder of a built page: its document, and one script. */
export function builtPage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drover-page-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>\n');
  writeFileSync(join(folder, 'assets/page-ABCDEFGH.js'), 'export {};\n');
  writeFileSync(join(folder, 'assets/secret.pem'), 'a key');
  return folder;
}

/** Command that starts drover there. */
export const PROGRAM = 'node /home/me/drover/main.js';

export type Listeners = Readonly<{
  port: number;
  url: string;
  stateDir: string;
  /** Moves the clock of the sessions and codes, in ms. */
  pass: (ms: number) => void;
  tcp: (asked?: Asked) => Promise<Answered>;
  /** Address of the page with a one-time code. */
  invite: () => string;
  /** A one-time code, made over the socket. */
  code: (role?: 'read' | 'operate') => Promise<string>;
  close: () => Promise<void>;
}>;

type Given = Readonly<{
  stateDir?: string;
  /** Folder of the built page. */
  folder?: string;
  tcp?: Partial<NonNullable<ControlOptions['tcp']>>;
  money?: () => boolean;
}>;

export const host = { host: 'localhost' };
export const json = { 'content-type': 'application/json' };
export const own = { ...host, ...json, 'x-drover-page': '1' };
export const bearer = (token: string) => ({ ...host, authorization: `Bearer ${token}` });

/** Listeners of a run that does nothing, with a page. */
export async function openListeners(given: Given = {}): Promise<Listeners> {
  const { stateDir = mkdtempSync(join(tmpdir(), 'drover-')), folder = builtPage() } = given;
  const { money = () => false } = given;
  let passed = 0;
  const clock: Clock = {
    ...systemClock,
    now: () => epochMs(systemClock.now() + passed),
    monotonic: () => systemClock.monotonic() + passed,
  };
  const identity = { mode: 'emulator', account: 'x', version: '0', stateDir, pid: 1, startedAt: '' };
  const control = await openControl({
    daemon: { identity } as unknown as Daemon,
    past: {
      journal: join(stateDir, 'journal.sqlite'),
      kind: 'emulator',
      account: 'x',
      params: [],
      exceptions: [],
      runs: join(stateDir, 'runs'),
    },
    hasBegun: () => true,
    clock,
    host: machine,
    secrets: new Secrets(),
    log: silentLog,
    user: 'a test',
    tcp: {
      listen: { host: '127.0.0.1', port: 0 },
      tokens: { read: READ, operate: OPERATE },
      allowsMoney: money,
      ...given.tcp,
    },
    page: { name: 'a run', folder, program: PROGRAM, bytes: secureBytes, allowsMoney: money },
  });
  const url = control.url ?? '';
  const port = Number(new URL(url).port);
  const code = async (role: 'read' | 'operate' = 'operate') => {
    const asked = {
      method: 'POST',
      path: '/v1/session-codes',
      headers: { ...host, ...json },
      body: { role },
    };
    const answer = await ask({ socket: control.socket ?? '', ...asked });
    return (answer.json() as { code: string }).code;
  };
  return {
    port,
    url,
    stateDir,
    pass: (ms) => (passed += ms),
    tcp: (asked = {}) => ask({ port, ...asked }),
    invite: () => control.invite() ?? '',
    code,
    close: () => control.close(),
  };
}

/** Signs in over TCP. Returns the answer, and the cookie as a browser sends it back. */
export async function signIn(
  { tcp }: Listeners,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<{ answer: Answered; cookie: string }>> {
  const answer = await tcp({
    method: 'POST',
    path: '/v1/session',
    headers: { ...own, ...headers },
    body,
  });
  const [set = ''] = (answer.headers['set-cookie'] as readonly string[] | undefined) ?? [];
  return { answer, cookie: set.split(';')[0] ?? '' };
}
