import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { namedSeries, watchSeries } from '../../../src/app/strategies/seriesFiles.ts';
import type { SeriesEvent } from '../../../src/engine/state/kernelEvent.ts';

const HEADER = 'known,level\n';
const need = { name: 'mood', numbers: ['level'] };

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'drover-series-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

/** A watch polled by the test, and what it has read: levels, or the problem. */
function watched(file: string) {
  const due: (() => void)[] = [];
  const after = (_ms: number, run: () => void) => {
    due.push(run);
    return () => void due.splice(0);
  };
  const read: unknown[] = [];
  const onRead = ({ read: found }: SeriesEvent) =>
    void read.push('rows' in found ? found.rows.numbers['level'] : found.problem);
  const end = watchSeries([{ strategyId: 'solo', need, file }], { after }, onRead);
  const look = () => {
    due.shift()?.();
    return read.splice(0);
  };
  return { look, end, due };
}

test('a series file is read again once it has changed and then stays unchanged for one check', () => {
  const file = join(folder(), 'mood.csv');
  writeFileSync(file, `${HEADER}2026-06-15,1\n`);
  const { look, end, due } = watched(file);
  expect(look(), 'once at first').toEqual([[1]]);
  expect(look()).toEqual([]);
  writeFileSync(file, `${HEADER}2026-06-15,1\n2026-06-1`);
  expect(look(), 'half written').toEqual([]);
  writeFileSync(file, `${HEADER}2026-06-15,1\n2026-06-16,2\n`);
  expect(look(), 'just changed').toEqual([]);
  expect(look()).toEqual([[1, 2]]);
  const fresh = `${file}.new`;
  writeFileSync(fresh, `${HEADER}2026-06-15,1\n2026-06-16,3\n`);
  renameSync(fresh, file);
  expect([look(), look(), look()]).toEqual([[], [[1, 3]], []]);
  end();
  expect(due).toEqual([]);
});

test('a missing or invalid series file is reported once, until it is valid again', () => {
  const file = join(folder(), 'mood.csv');
  const { look } = watched(file);
  expect(look()).toEqual([expect.stringContaining(`${file}: there is no such file`)]);
  expect(look()).toEqual([]);
  writeFileSync(file, `${HEADER}2026-06-15,x\n`);
  expect([look(), look()]).toEqual([[], [expect.stringContaining(`${file}:2: level is "x"`)]]);
  writeFileSync(file, `${HEADER}2026-06-15,10\n`);
  expect([look(), look()]).toEqual([[], [[10]]]);
});

test('a run without a series polls nothing', () => {
  const after = () => expect.unreachable();
  const end = watchSeries([], { after }, () => undefined);
  end();
});

test('--series names a series and its file', () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'a=b.csv'), HEADER);
  expect(namedSeries(['mood=a=b.csv'], cwd)).toEqual({ mood: { file: join(cwd, 'a=b.csv'), text: HEADER } });
  expect(() => namedSeries(['mood'], cwd)).toThrow('--series "mood": write NAME=FILE');
  expect(() => namedSeries(['mood=a=b.csv', 'mood=a=b.csv'], cwd)).toThrow('mood is given twice');
});
