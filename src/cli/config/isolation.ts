import { z } from 'zod';
import type { IsolationLimits } from '../isolation/strategyWorker.ts';
import { ALLOWABLE, isAllowable } from '../isolation/allowable.ts';

/** Modules and globals that the entry of a strategy gives it beside its view. */
export const allow = () =>
  z
    .array(z.string().refine(isAllowable, { error: ALLOWABLE }))
    .max(100)
    .default([])
    .describe(
      "Built-in modules of Node that its code may import (`fs`, `net`, …), and globals that reach the network (`fetch`, `WebSocket`). What has `fs` can read this program's memory, and so its secrets.",
    );

/** Limits on the thread of each strategy. */
export const isolation = z.strictObject({
  hookSeconds: z
    .number()
    .min(0.05)
    .max(600)
    .default(5)
    .describe(
      'Longest time that a hook of a strategy may take, in real seconds; then the strategy is stopped.',
    ),
  startSeconds: z
    .number()
    .min(1)
    .max(600)
    .default(30)
    .describe('Longest time for loading its file, `data` and `create`, in real seconds.'),
  memoryMb: z
    .int()
    .min(64)
    .max(65_536)
    .default(512)
    .describe('Most memory that a strategy may need, in MB; then it is stopped.'),
});

type Isolation = z.output<typeof isolation>;

/** Where no config says anything. */
export const defaultIsolation: Isolation = isolation.parse({});

export const limitsOf = ({ hookSeconds, startSeconds, memoryMb }: Isolation): IsolationLimits => ({
  hookMs: hookSeconds * 1_000,
  startMs: startSeconds * 1_000,
  memoryMb,
});
