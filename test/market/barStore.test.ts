import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataError } from '../../src/core/errors.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { BarStore, realDisk, type DiskSteps, type StoredBars } from '../../src/market/barStore.ts';
import { columnsOfRows } from '../../src/market/mergeBars.ts';
import { opensOf, row, rowsOf } from './columns.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'drover-store-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const NAME = { symbol: ticker('BRK.B'), interval: '1d' } as const;
const opens = opensOf('2026-06-01', '2026-06-30');
const source = { kind: 'venue', name: 'https://venue.example' } as const;

const setOf = (count: number): StoredBars => ({
  ...NAME,
  columns: columnsOfRows(opens.slice(0, count).map((at) => row(at, 100 + count))),
  parts: [{ source, fetchedAt: 5, from: opens[0] ?? NaN, to: opens[count] ?? NaN }],
  factors: { fetchedAt: 6, steps: [{ from: opens[0] ?? NaN, factor: 0.5 }] },
});

const filesOf = () => readdirSync(join(folder, NAME.symbol)).sort();

describe('a stored set of bars', () => {
  test('is read as it was written, and listed', () => {
    const store = new BarStore(folder);
    const set = setOf(3);
    expect([store.read(NAME), store.names()]).toEqual([null, []]);
    const manifest = store.write(set);
    expect(manifest).toMatchObject({
      bars: 3,
      first: opens[0],
      last: opens[2],
      prices: 'raw',
      parts: set.parts,
    });
    expect(new BarStore(folder).read(NAME)).toEqual(set);
    expect(store.names()).toEqual([NAME]);
  });

  test('replaces the previous one, and leaves none of its files', () => {
    const store = new BarStore(folder);
    store.write(setOf(3));
    const { hash } = store.write(setOf(4));
    expect(filesOf()).toEqual([`1d-${hash}.f64`, '1d.json']);
  });

  test('is always complete, either the old or the new one, wherever a write is interrupted', () => {
    const sets = [setOf(3), setOf(5)].map((set) => rowsOf(set.columns));
    const seen = new Set<number>();
    for (let last = 0; ; last++) {
      new BarStore(folder).write(setOf(3));
      let steps = 0;
      const cut = endingAfter(last, () => steps++);
      const ended = attempt(() => new BarStore(folder, cut).write(setOf(5)));
      const found = new BarStore(folder).read(NAME);
      seen.add(
        sets.findIndex((rows) => JSON.stringify(rows) === JSON.stringify(found && rowsOf(found.columns))),
      );
      new BarStore(folder).write(setOf(5));
      expect(filesOf()).toHaveLength(2);
      rmSync(join(folder, NAME.symbol), { recursive: true });
      if (ended) break;
      expect(steps).toBe(last + 1);
    }
    expect([...seen].sort()).toEqual([0, 1]);
  });
});

describe('a set of bars outside the sessions', () => {
  const INSIDE = { ...NAME, interval: '5m' } as const;
  const OUTSIDE = { ...INSIDE, outside: true } as const;

  test('has files of its own, which a write of the regular bars does not remove', () => {
    const store = new BarStore(folder);
    const [inside, outside] = [
      { ...setOf(3), ...INSIDE },
      { ...setOf(2), ...OUTSIDE },
    ];
    store.write(outside);
    expect([store.read(INSIDE), store.names()]).toEqual([null, [OUTSIDE]]);
    const { hash } = store.write(inside);
    const manifest = store.write({ ...setOf(4), ...OUTSIDE });
    expect(filesOf()).toEqual([
      `5m-${hash}.f64`,
      '5m.json',
      `5m.outside-${manifest.hash}.f64`,
      '5m.outside.json',
    ]);
    store.write({ ...setOf(5), ...INSIDE });
    expect(store.names()).toEqual([INSIDE, OUTSIDE]);
    expect(store.read(OUTSIDE)).toEqual({ ...setOf(4), ...OUTSIDE });
    expect(store.read(INSIDE)).toEqual({ ...setOf(5), ...INSIDE });
    expect([manifest.outside, 'outside' in (store.manifest(INSIDE) ?? {})]).toEqual([true, false]);
  });

  test('is refused under the name of the regular one, and vice versa', () => {
    const store = new BarStore(folder);
    const [regular, other] = ['5m.json', '5m.outside.json'].map((name) => join(folder, NAME.symbol, name));
    store.write({ ...setOf(2), ...OUTSIDE });
    writeFileSync(regular ?? '', readFileSync(other ?? ''));
    expect(() => store.read(INSIDE)).toThrow(/it is of BRK\.B 5m outside\./);
    store.write({ ...setOf(2), ...INSIDE });
    writeFileSync(other ?? '', readFileSync(regular ?? ''));
    expect(() => store.read(OUTSIDE)).toThrow(/it is of BRK\.B 5m\./);
  });
});

/** A disk on which the program ends at a step, with the file half written. */
function endingAfter(last: number, count: () => void): DiskSteps {
  let steps = 0;
  const step = (work: () => void, half: () => void = () => undefined) => {
    count();
    if (steps++ === last) {
      half();
      throw new Error('the power is gone');
    }
    work();
  };
  return {
    write: (file, bytes) =>
      step(
        () => realDisk.write(file, bytes),
        () => writeFileSync(file, bytes.subarray(0, bytes.length / 2)),
      ),
    rename: (from, to) => step(() => realDisk.rename(from, to)),
    syncFolder: (of) => step(() => realDisk.syncFolder(of)),
    remove: (file) => step(() => realDisk.remove(file)),
  };
}

function attempt(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ message: 'the power is gone' });
    return false;
  }
}

describe('a damaged set of bars', () => {
  const fileOf = (ending: string) =>
    join(folder, NAME.symbol, filesOf().find((name) => name.endsWith(ending)) ?? '');

  test('is refused after a change of any byte of the columns', () => {
    const store = new BarStore(folder);
    store.write(setOf(2));
    const file = fileOf('.f64');
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at++) {
      const changed = Uint8Array.from(whole);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(file, changed);
      expect(() => store.read(NAME), `byte ${at}`).toThrow(DataError);
    }
    writeFileSync(file, whole);
    expect(store.read(NAME)).not.toBeNull();
  });

  test('is refused after a change of any byte of the manifest', () => {
    const store = new BarStore(folder);
    store.write(setOf(2));
    const file = fileOf('.json');
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length - 1; at++) {
      const changed = Uint8Array.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(file, changed);
      expect(() => store.read(NAME), `byte ${at}`).toThrow(DataError);
    }
  });

  test.each([
    ['a byte too many', (file: string) => appendFileSync(file, 'x'), /is truncated/],
    ['an empty file of columns', (file: string) => writeFileSync(file, ''), /it is empty/],
    ['no file of columns', (file: string) => rmSync(file), /\.f64 is not there/],
  ])('is refused with %s', (_what, damage, message) => {
    const store = new BarStore(folder);
    store.write(setOf(2));
    damage(fileOf('.f64'));
    expect(() => store.read(NAME)).toThrow(message);
  });

  test('is refused under the name of another set', () => {
    const store = new BarStore(folder);
    store.write(setOf(2));
    writeFileSync(join(folder, NAME.symbol, '1h.json'), readFileSync(fileOf('.json')));
    expect(() => store.read({ ...NAME, interval: '1h' })).toThrow(/it is of BRK\.B 1d/);
  });
});

test('corporate actions are stored with the bars, and refused when damaged', () => {
  const store = new BarStore(folder);
  expect(store.actions(NAME.symbol)).toBeNull();
  const split = {
    type: 'forward_split',
    exDate: '2026-06-10',
    oldRate: '1',
    newRate: '4',
    cashPerShare: null,
    source,
  };
  const actions = { format: 1, symbol: NAME.symbol, fetchedAt: 7, actions: [split] } as const;
  store.writeActions({ ...actions, actions: [split] });
  expect(store.actions(NAME.symbol)).toEqual(actions);
  const file = join(folder, NAME.symbol, 'actions.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"4"', '"5"'));
  expect(() => store.actions(NAME.symbol)).toThrow(/actions\.json is damaged/);
});
