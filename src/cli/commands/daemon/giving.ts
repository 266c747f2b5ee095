import { messageOf, OutcomeUnknownError } from '../../../core/errors.ts';
import type { DaemonClient } from '../../../ops/client.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { InterruptedError } from '../../../process/terminal.ts';
import { spanText } from './screenText.ts';

/** A command for a daemon: the verb of its endpoint, and the body. */
export type SteerRequest = Readonly<{ verb: string; body: Readonly<Record<string, unknown>> }>;

/** Outcome of a command. `left`: orders and shares still to be cancelled or sold; `values`: fields of the response, for programs. */
export type Outcome = Readonly<{
  id: string;
  text: string;
  values: Readonly<Record<string, unknown>>;
  cancelled: number;
  sold: number;
  left: readonly string[];
}>;

/** Interval between two polls of a command or run, in ms. */
export const LOOK_MS = 500;

/**
 * Submits a command once, and waits until all its work is done, at most `patienceMs`. The daemon continues after that.
 * @throws {InterruptedError} when a person stops waiting
 * @throws {OutcomeUnknownError} when the daemon ends before it responds
 */
export async function give(
  client: DaemonClient,
  { steering: { verb, body }, patienceMs }: Readonly<{ steering: SteerRequest; patienceMs: number }>,
  context: CommandContext,
): Promise<Outcome> {
  const { clock } = context;
  const began = clock.monotonic();
  const signal = context.stopSignal();
  const given = await unlessStopped(client.steer(verb, body, { patienceMs }), signal);
  for (;;) {
    const outcome = await lookAt(client, given);
    const passed = clock.monotonic() - began;
    if (given.done && (outcome.left.length === 0 || passed >= patienceMs)) return outcome;
    if (!given.done) throw unanswered(given.id);
    context.terminal.status?.(`${outcome.left.length} left, ${spanText(passed)} …`);
    await unlessStopped(clock.sleep(Math.min(LOOK_MS, patienceMs - passed), signal), signal);
  }
}

type SteerAnswer = Awaited<ReturnType<DaemonClient['steer']>>;

async function lookAt(client: DaemonClient, { id, text, result }: SteerAnswer): Promise<Outcome> {
  try {
    const { progress } = await client.command(id);
    const { cancelled, sold, left } = progress;
    return { id, text, values: result, cancelled, sold, left };
  } catch (error) {
    const { cancelled = 0, sold = 0, left = [] } = result as Partial<Outcome>;
    if (left.length === 0) return { id, text, values: result, cancelled, sold, left };
    throw new OutcomeUnknownError(
      `the command was accepted (${text}), and how far it came is unknown: ${messageOf(error)}. See \`drover status\``,
      { id },
    );
  }
}

const unanswered = (id: string): OutcomeUnknownError =>
  new OutcomeUnknownError(
    `the command was sent and has no answer yet: its outcome is unknown, see \`drover status\`. Do not repeat it before (its id is ${id})`,
    { id },
  );

/** Result of a wait that a person may interrupt. The command itself continues. @throws {InterruptedError} */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new InterruptedError('stopped waiting: the command continues, see `drover status`'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, stopped]);
  } catch (error) {
    if (signal.aborted && !(error instanceof InterruptedError)) return await stopped;
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Exit code of a command that may have left work undone. */
export const exitOf = ({ left }: Pick<Outcome, 'left'>): number =>
  left.length === 0 ? EXIT.done : EXIT.failed;
