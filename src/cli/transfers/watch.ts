import type { Clock } from '../../core/clock.ts';
import { isVenueFault, messageOf } from '../../core/errors.ts';
import type { CommandContext } from '../context.ts';

/** How far something has come. `end`: null while it may still change; `unknown` where looking on will not tell. */
export type Observation<Row> = Readonly<{
  row: Row;
  status: string;
  end: 'done' | 'failed' | 'unknown' | null;
  /** True where the venue's word for its status is in no documented table. */
  isWordUnknown?: boolean;
}>;

/** Looks once. Null while there is nothing to be seen yet. */
export type Look<Row> = () => Promise<Observation<Row> | null>;

/** `interrupted`: a person stopped waiting, which changes nothing at the venue. */
export type Watched<Row> = Readonly<{ sight: Observation<Row> | null; interrupted: boolean }>;

const LOOK_EVERY_MS = 2_000;

/** Looks again and again until there is an end, and tells each change. A venue that does not answer is asked again. */
export async function watch<Row>(
  look: Look<Row>,
  { clock, context }: Readonly<{ clock: Clock; context: CommandContext }>,
): Promise<Watched<Row>> {
  const signal = context.stopSignal();
  let seen: Observation<Row> | null = null;
  let told = '';
  const tell = (text: string) => {
    if (text !== told) context.terminal.err(text);
    told = text;
  };
  for (;;) {
    try {
      seen = (await look()) ?? seen;
      if (seen?.end) return { sight: seen, interrupted: false };
      tell(seen ? `${seen.status} …` : 'not seen by the venue yet …');
    } catch (error) {
      if (!isVenueFault(error)) throw error;
      tell(`${messageOf(error)}; looking again …`);
    }
    const stopped = await clock.sleep(LOOK_EVERY_MS, signal).then(
      () => false,
      () => true,
    );
    if (stopped) return { sight: seen, interrupted: true };
  }
}
