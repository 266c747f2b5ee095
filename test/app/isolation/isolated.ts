import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { IsolatedStrategy, threadOptions } from '../../../src/app/isolation/isolatedStrategy.ts';
import { ThreadGroup } from '../../../src/app/isolation/threadGroup.ts';
import type { IsolationLimits } from '../../../src/app/config/sections.ts';
import { parseCash, type Cash } from '../../../src/core/amount.ts';
import { messageOf } from '../../../src/core/errors.ts';
import type { StrategySetup } from '../../../src/engine/strategy/strategyInstance.ts';
import { seriesOf } from '../../../src/market/seriesCsv.ts';
import type { DataNeeds } from '../../../src/strategy/index.ts';
import { filesOf } from '../../../src/testing/options.ts';

export const LIMITS: IsolationLimits = { hookMs: 2_000, startMs: 20_000, memoryMb: 256 };

export type Given = Readonly<{
  limits?: Partial<IsolationLimits>;
  data?: DataNeeds;
  /** CSV of its dated series, by name. */
  series?: Readonly<Record<string, string>>;
  print?: (text: string) => void;
  /** Its id, and the strategies with which it shares a thread. */
  id?: string;
  group?: ThreadGroup;
}>;

/** A thread for several strategies. */
export const groupWith = (limits: Partial<IsolationLimits> = {}): ThreadGroup =>
  new ThreadGroup(threadOptions({ ...LIMITS, ...limits }));

/** A file with a strategy whose hooks are `hooks`, after the lines `head`. */
export const sourceOf = (
  hooks: string,
  head = '',
  data: DataNeeds = { quotes: ['AAPL', 'MSFT'] },
): string => `
import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
${head}
export default defineStrategy({
  name: 'tried',
  description: 'For a test.',
  params: z.strictObject({}),
  data: () => (${JSON.stringify(data)}),
  create: ({ state }) => (${hooks}),
});
`;

export function fileWith(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'drover-isolated-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tried.ts');
  writeFileSync(file, source);
  return file;
}

/** Starts a strategy in a thread, and ends it with the test. */
export async function startIsolated(source: string, given: Given = {}): Promise<IsolatedStrategy> {
  const { limits = {}, print = () => undefined, id = 'tried', group = groupWith(limits) } = given;
  const strategy = await IsolatedStrategy.start(fileWith(source), tmpdir(), {
    id,
    group,
    print,
    limits: { ...LIMITS, ...limits },
    kept: [],
  });
  onTestFinished(() => strategy.close());
  return strategy;
}

/** The same strategy in the form that a runner takes. */
export async function isolated(
  id: string,
  source: string,
  given: Given = {},
): Promise<StrategySetup & Readonly<{ capital: Cash }>> {
  const strategy = await startIsolated(source, { ...given, id });
  const read = strategy.load({}, () => new Error('the parameters do not fit'));
  if ('thrown' in read) throw new Error(messageOf(read.thrown));
  const { createRuntime, locate } = strategy;
  const explain = (thrown: unknown) => {
    const place = locate(thrown);
    return place ? `line ${place.line}: ${messageOf(thrown)}` : messageOf(thrown);
  };
  const needs = read.needs as DataNeeds;
  const series = seriesOf({ id, needs: needs.series ?? [], files: filesOf(given.series) });
  return { id, capital: parseCash('10000'), needs, series, createRuntime, explain };
}
