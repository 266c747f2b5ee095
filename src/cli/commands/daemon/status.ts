import { ConfigError, NoAnswerError, NotSentError, closingAfter } from '../../../core/errors.ts';
import type { Status } from '../../../ops/model/status.ts';
import type { CommandContext } from '../../../process/context.ts';
import { findDaemon } from '../../../app/environment/daemons.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { coloursOf, printResult } from '../../../process/output.ts';
import { hasEnded } from './beside.ts';
import { journalStatus } from './journalStatus.ts';
import { cutLine, screenOf } from './screen.ts';
import type { Line, Tone } from './screenText.ts';

export type StatusFlags = Readonly<{ state?: string; watch?: boolean; all?: boolean; fleet?: string }>;

/** Interval between two reads of a watched run, in ms. */
const LOOK_MS = 1_000;

/**
 * `drover status`: a run on one screen; without a run, its journal's state. `--watch` repaints it until the run ends.
 * @throws {ConfigError} when there is neither, or several daemons run and none is named
 */
export async function statusCommand(flags: StatusFlags, context: CommandContext): Promise<number> {
  if (flags.all || flags.fleet !== undefined) return ofFleet(flags, context);
  const found = await findDaemon(flags, context);
  if (!found?.client) return show(journalStatus(flags, context), context);
  const { client, stateDir } = found;
  const look = () => client.status();
  return closingAfter(client, async () => {
    if (flags.watch) return watch(look, stateDir, context);
    return show(await look(), context);
  });
}

async function ofFleet({ state, watch, ...flags }: StatusFlags, context: CommandContext): Promise<number> {
  const beside = watch ? '--watch' : state === undefined ? null : '--state';
  if (beside !== null)
    throw new ConfigError(`${beside} is for one daemon: leave out either it or --all and --fleet`);
  const { fleetStatus } = await import('./fleetStatus.ts');
  return fleetStatus(flags, context);
}

/** Reads the status of a run. @throws {NoAnswerError} while it does not respond. @throws {NotSentError} after its end */
type Look = () => Promise<Status>;

const show = (status: Status, context: CommandContext): number =>
  printResult(context, status, drawn(status, context).join('\n'));

/** Default width of a screen, in characters. */
const WIDTH = 80;

/** Lines of the screen, in colour if the terminal supports it. Only a repainted screen is cut to its width. */
function drawn(status: Status, context: CommandContext, isCut = false): string[] {
  const { terminal } = context;
  const width = context.terminal.screen?.columns ?? (Number(context.env['COLUMNS']) || WIDTH);
  const { bold, dim, green, red, yellow } = coloursOf(terminal);
  const colours: Readonly<Record<Tone, (text: string) => string>> = {
    plain: (text) => text,
    head: bold,
    quiet: dim,
    good: green,
    warning: yellow,
    bad: red,
  };
  return screenOf(status, width)
    .map((one) => (isCut ? cutLine(one, width) : one))
    .map(({ text, tone }: Line) => (text === '' ? text : colours[tone](text)));
}

/** Shows a run repeatedly: repainted each second on a terminal, otherwise printed after each change. */
async function watch(look: Look, stateDir: string, context: CommandContext): Promise<number> {
  const { clock } = context;
  const signal = context.stopSignal();
  let last = '';
  while (!signal.aborted) {
    const status = await lookAt(look);
    if (status === null && (await hasEnded(stateDir, context))) return showEnd(stateDir, context);
    if (status !== null) last = repaint(status, last, context);
    await clock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
  // The terminal has echoed ^C, so the next output starts on a new line.
  if (context.terminal.screen && !context.json) context.terminal.err('');
  return EXIT.interrupted;
}

/** Status of a run; null while it does not respond. */
async function lookAt(look: Look): Promise<Status | null> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof NoAnswerError || error instanceof NotSentError) return null;
    throw error;
  }
}

function showEnd(state: string, context: CommandContext): number {
  const status = journalStatus({ state }, context);
  const how = status.lastEnd ? `: ${status.lastEnd.text}` : ', and recorded no end';
  return printResult(context, status, `the run has ended${how}`);
}

/** Shows a status; without a terminal only if it differs from the last. Returns the text for the next comparison. */
function repaint(status: Status, last: string, context: CommandContext): string {
  const { terminal, json } = context;
  if (terminal.screen && !json) {
    terminal.screen.paint(cutTo(terminal.screen.rows - 1, drawn(status, context, true)));
    return last;
  }
  const key = JSON.stringify({
    ...status,
    ...PASSING,
    orders: status.orders.map((one) => ({ ...one, ageMs: 0 })),
  });
  if (key === last) return last;
  if (!json && last !== '') terminal.out('');
  show(status, context);
  return key;
}

/** Lines that fit the screen; the last one states how many do not. */
function cutTo(rows: number, lines: readonly string[]): readonly string[] {
  if (lines.length <= rows) return lines;
  const shown = Math.max(rows - 1, 0);
  return [...lines.slice(0, shown), `… ${lines.length - shown} more lines: \`drover status\` shows all`];
}

/** Fields that change merely with time. */
const PASSING = { now: '', freshness: null };
