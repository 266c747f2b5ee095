import { z } from 'zod';

const text = z.string();

/** A command with its response (null until there is one), and its effects so far. */
export const commandSchema = z.object({
  id: text,
  by: text,
  reason: text,
  command: z.looseObject({ kind: text }),
  done: z.boolean(),
  answer: z
    .union([
      z.object({ kind: z.literal('done'), text, result: z.record(text, z.unknown()) }),
      z.object({ kind: z.literal('refused'), because: z.enum(['usage', 'safety']), text }),
    ])
    .nullable(),
  progress: z.object({
    isDone: z.boolean(),
    cancelled: z.number(),
    sold: z.number(),
    left: z.array(text),
  }),
  sent: z
    .record(text, z.unknown())
    .nullable()
    .default(null)
    .describe(
      'the order or the transfer of a command by hand, or the order waiting for its time; null before there is one',
    ),
  ended: z
    .object({ how: text, why: text })
    .nullable()
    .default(null)
    .describe('end of a manual order, with its reason; null before it ends'),
});

/** The same for the caller who gave it. */
export const commandStateSchema = commandSchema.omit({ command: true });
export type CommandState = Readonly<z.output<typeof commandStateSchema>>;
