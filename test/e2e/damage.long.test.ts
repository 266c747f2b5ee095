import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { RunReport } from '../../src/engine/runtime/runner.ts';
import { readJournal, verifyJournal } from '../../src/store/readJournal.ts';
import { drover, freshDir, MAIN, root } from './cli.ts';

const LONG_MS = 300_000;
const MORNING = ['run', '--speed', 'max', '--until', '2026-06-15T10:30', '--json'];

type Config = Readonly<{ strategies: unknown }>;
type Recovered = Readonly<{ recovered: boolean; aside: string; wrong: string; external: string[] }>;

describe('a damaged journal', () => {
  test(
    'is refused with advice, and a new journal is begun from the state of the venue',
    { timeout: LONG_MS },
    async () => {
      const state = freshDir();
      const file = join(state, 'journal.sqlite');
      const first = await drover([...MORNING, '--state', state]);
      expect(first.code).toBe(0);
      const resting = (JSON.parse(first.out) as RunReport).stop.left.working;
      expect(resting).toBeGreaterThan(0);
      const bytes = readFileSync(file);
      bytes.fill(0, 8_192, 16_384);
      writeFileSync(file, bytes);

      const refused = await drover([...MORNING, '--state', state]);
      expect(refused.code).toBe(2);
      expect(refused.err).toMatch(/is damaged: .*drover journal recover/s);
      expect((await drover(['journal', 'verify', '--state', state])).code).toBe(2);

      const shown = await drover(['journal', 'recover', '--state', state, '--json']);
      expect(JSON.parse(shown.out)).toMatchObject({ recovered: false, aside: null });
      const done = await drover(['journal', 'recover', '--state', state, '--yes', '--json']);
      const { aside, wrong, external } = JSON.parse(done.out) as Recovered;
      expect(wrong).toMatch(/damaged/);
      expect(external).toHaveLength(resting);
      expect(readFileSync(aside).equals(bytes)).toBe(true);
      expect(verifyJournal(file).epochs).toBe(1);
      const reader = readJournal(file);
      const kinds = [...reader.lines()].map(({ fact }) => fact.kind);
      reader.close();
      expect(kinds.filter((kind) => kind !== 'pinned')).toEqual([
        'epoch',
        'opened',
        ...external.map(() => 'external'),
      ]);

      // Shares bought by the strategies are unallocated now, so there is less cash to allocate.
      const poorer = join(freshDir(), 'poorer.yaml');
      const { strategies: _all, ...rest } = parse(
        readFileSync(join(root, 'config/emulator.yaml'), 'utf8'),
      ) as Config;
      const one = {
        id: 'plan',
        use: 'dca',
        capital: '100',
        params: { symbol: 'SPY', notional: '50', at: '15:00' },
      };
      writeFileSync(poorer, stringify({ ...rest, strategies: [one] }));
      const again = await drover([
        'run',
        poorer,
        '--speed',
        'max',
        '--until',
        '2026-06-15T10:35',
        '--json',
        '--state',
        state,
      ]);
      expect(again.err).not.toMatch(/error/);
      expect(again.code).toBe(0);
      const { orders } = JSON.parse(again.out) as RunReport;
      expect(orders).toMatchObject({ external: resting, unknown: 0 });
      expect((await drover(['journal', 'verify', '--state', state])).out).toMatch(/of 2 starts/);
    },
  );

  test('is noticed when an older copy has replaced it', { timeout: LONG_MS }, async () => {
    const state = freshDir();
    const file = join(state, 'journal.sqlite');
    await drover([...MORNING, '--state', state]);
    const older = readFileSync(file);
    await drover(['run', '--speed', 'max', '--until', '2026-06-15T10:40', '--state', state]);
    writeFileSync(file, older);
    const refused = await drover([...MORNING, '--state', state]);
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/it ends at entry \d+, but \d+ had been written/);
  });
});

describe('the journal commands', () => {
  test('show and export the journal, and do not overwrite a file', { timeout: LONG_MS }, async () => {
    const [state, out] = [freshDir(), join(freshDir(), 'journal.jsonl')];
    await drover([...MORNING, '--state', state]);
    const lines = (await drover(['journal', 'show', '--json', '--state', state])).out.trim().split('\n');
    const exported = await drover(['journal', 'export', out, '--state', state]);
    expect(exported.code).toBe(0);
    expect(readFileSync(out, 'utf8').trim().split('\n')).toEqual(lines);
    expect((await drover(['journal', 'export', out, '--state', state])).code).toBe(2);
    const late = await drover(['journal', 'show', '--json', '--since', '2026-06-15T10:15', '--state', state]);
    const count = late.out.trim().split('\n').length;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(lines.length);
    const missing = await drover(['journal', 'show', '--order', 'nobody-1.1', '--state', state]);
    expect(missing).toMatchObject({ code: 2 });
  });
});

/** Mounts a small disk where the system lets a user do that. */
const mounting = (script: string, args: readonly string[]) =>
  [['-rm', 'sh', '-c', script, 'sh', ...args], { cwd: root, env: { PATH: process.env['PATH'] } }] as const;
const canMount =
  spawnSync('unshare', ...mounting('mount -t tmpfs -o size=64k tmpfs "$1"', [freshDir()])).status === 0;

test.runIf(canMount)(
  'a disk that is really full ends a run in order with exit 1, and its journal is complete',
  { timeout: LONG_MS },
  async () => {
    const [disk, kept] = [freshDir(), freshDir()];
    const script = `
    mount -t tmpfs -o size=24m tmpfs "$1"
    "$2" "$3" run --speed 600 --state "$1/state" --json &
    pid=$!
    while ! grep -q 'sent' "$1/state/drover.log" 2>/dev/null; do sleep 0.1; done
    ls -l "$1/state/reserve"
    dd if=/dev/zero of="$1/filler" bs=4k 2>/dev/null
    wait $pid
    code=$?
    rm "$1/filler"
    cp -r "$1/state" "$4/state"
    exit $code
  `;
    const child = spawn('unshare', ...mounting(script, [disk, process.execPath, MAIN, kept]));
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdout.resume();
    const [code] = (await once(child, 'close')) as [number];
    expect(err).toMatch(/! .*(full|nearly so).*Nothing is sent until that is over/);
    expect(code).toBe(1);
    expect(readdirSync(join(kept, 'state'))).not.toContain('reserve');
    const again = await drover(['journal', 'verify', '--state', join(kept, 'state')]);
    expect(again.code).toBe(0);
  },
);
