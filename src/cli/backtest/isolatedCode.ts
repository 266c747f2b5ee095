import { z } from 'zod';
import type { BacktestStrategy } from '../../backtest/options.ts';
import { messageOf } from '../../core/errors.ts';
import type { DataNeeds, StrategyDefinition } from '../../strategy/contract.ts';
import { defaultIsolation, limitsOf } from '../config/sections.ts';
import type { RunConfig } from '../config/schema.ts';
import { IsolatedStrategy, type Misfit } from '../isolation/isolatedStrategy.ts';

export type IsolatedCode = Readonly<{ strategy: BacktestStrategy; close: () => Promise<void> }>;

export type IsolatedCodeOptions = Readonly<{
  use: string;
  folder: string;
  allow: readonly string[];
  limits?: RunConfig['isolation'];
  print: (text: string) => void;
  params: unknown;
  /** The error for parameters that do not fit. */
  misfit: (why: Misfit) => Error;
}>;

/** A strategy for a backtest that runs it in a thread of its own, as a run does. */
export async function isolatedCode(options: IsolatedCodeOptions): Promise<IsolatedCode> {
  const { use, folder, allow, limits = defaultIsolation, print } = options;
  const isolated = await IsolatedStrategy.start(use, folder, { limits: limitsOf(limits), allow, print });
  const read = isolated.load(options.params, options.misfit);
  const data = (): DataNeeds => {
    if ('thrown' in read) throw read.thrown;
    return read.needs as DataNeeds;
  };
  const create = (): never => {
    throw new TypeError('the strategy lives in a thread');
  };
  const about = 'thrown' in read ? { name: use, description: use, params: null } : read;
  // Its schema stays in the thread, where the parameters were checked.
  const definition: StrategyDefinition = { ...about, params: z.unknown(), data, create };
  const explain = (thrown: unknown) => {
    const place = isolated.locate(thrown);
    return place ? `${place.file}:${place.line}:${place.column}: ${messageOf(thrown)}` : messageOf(thrown);
  };
  const { createRuntime, hash: codeHash } = isolated;
  const strategy = { definition, params: about.params, codeHash, explain, createRuntime };
  return { strategy, close: () => isolated.close() };
}
