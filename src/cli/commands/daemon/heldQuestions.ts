import { counted } from '../../../core/counted.ts';
import { ConfigError } from '../../../core/errors.ts';
import { oneLine } from '../../../core/printable.ts';
import { sameVenueId } from '../../../domain/orders/order.ts';
import { shortAmounts } from '../../../domain/shortAmounts.ts';
import type { HeldOrderView, Status } from '../../../ops/model/status.ts';
import type { CommandContext } from '../../../process/context.ts';
import { InterruptedError } from '../../../process/terminal.ts';
import { confirm } from '../../../app/transfers/confirm.ts';

/** Maximum length of a line about a held order, in characters. */
const LINE_MAX = 500;

/** Strategy and symbol that a command is limited to; everything without either. */
type Scope = Readonly<{ strategy?: string; symbol?: string }>;
type HeldOrders = readonly HeldOrderView[];

/** Held orders of a scope, and with `ids` those named, or belonging to a named order. */
export function heldIn(
  { heldOrders }: Status,
  { strategy, symbol }: Scope,
  ids: readonly string[] = [],
): HeldOrders {
  const isOf = (one: HeldOrderView): boolean =>
    (strategy === undefined || one.strategy === strategy) && (symbol === undefined || one.symbol === symbol);
  const isNamed = ({ id, children }: HeldOrderView): boolean =>
    [id, ...children.flatMap((child) => [child.id, child.txHash, child.venueId])].some((known) =>
      ids.some((named) => known !== null && (sameVenueId(named, known) || named.startsWith(`${known}.`))),
    );
  return heldOrders.filter((one) => isOf(one) && (ids.length === 0 || isNamed(one)));
}

/** Held orders of a run according to its status. None if reading it fails: a halt or stop must not wait for that. */
export async function heldOrNone(look: () => Promise<Status> | Status, scope: Scope): Promise<HeldOrders> {
  try {
    return heldIn(await look(), scope);
  } catch {
    return [];
  }
}

/** Describes a held order: its text, strategy and id, and its state if it is more than armed. */
export const heldText = ({ text, strategy, id, state, stateText }: HeldOrderView): string =>
  oneLine(
    shortAmounts(`${text} of ${strategy} (${id})${state === 'armed' ? '' : `: ${stateText}`}`),
    LINE_MAX,
  );

const themText = (held: HeldOrders): string => (held.length === 1 ? 'it' : 'them');

const countText = (held: HeldOrders): string => counted(held.length, 'order');

const listText = (held: HeldOrders): string => held.map((one) => `  ${heldText(one)}`).join('\n');

/**
 * Asks before a halt that stops held orders from sending, or with `cancel` ends them: whether to halt, or to reduce, which still
 * allows sells.
 * @throws {ConfigError} when nobody is there to ask, {InterruptedError} when the answer is neither
 */
export function haltOrReduce(
  held: HeldOrders,
  { yes, cancel }: Readonly<{ yes: boolean; cancel: boolean }>,
  context: CommandContext,
): 'halted' | 'reducing' {
  if (held.length === 0) return 'halted';
  const { terminal, keyboard } = context;
  const what = cancel
    ? `a halt with --cancel ends ${countText(held)} that this bot holds: after \`drover resume\`, too, nothing sells what they protect`
    : `a halt stops ${countText(held)} that this bot holds: until \`drover resume --reason TEXT\` nothing is sold when a stop is touched`;
  const instead = cancel
    ? 'without --cancel they stay, and work again after `drover resume --reason TEXT`; `drover reduce --cancel` lets these sell'
    : '`drover reduce` stops only buys, and lets these sell';
  terminal.err(`${what}\n${listText(held)}\n${instead}`);
  // `halt` is the last resort and never refused, because it has no flag to agree in advance.
  if (yes || context.commandName === 'halt') return 'halted';
  if (!keyboard.present)
    throw new ConfigError(
      'there is no terminal to confirm it, so trading was not halted. Pass --yes to halt without asking, or use `drover reduce`',
    );
  const answer = keyboard.ask('Halt all the same (y), reduce instead (r), or neither? [y/r/N] ').trim();
  if (/^y(es)?$/i.test(answer)) return 'halted';
  if (/^r(educe)?$/i.test(answer)) return 'reducing';
  throw new InterruptedError('nothing was changed');
}

/**
 * Asks before a cancel that ends held orders. Without any it does not ask.
 * @throws {ConfigError} when nobody is there to ask, {InterruptedError} when the answer is no
 */
export function confirmEnd(held: HeldOrders, yes: boolean, context: CommandContext): void {
  if (held.length === 0) return;
  const guards = held.filter(({ protects }) => protects).length;
  confirm(
    {
      what: `Cancel, and end ${countText(held)} that this bot holds`,
      facts: [
        ...held.map((one) => ['end', heldText(one)] as const),
        ...(guards === 0
          ? []
          : [['then', `nothing sells what ${guards === 1 ? 'it protects' : 'they protect'}`] as const]),
      ],
    },
    yes,
    context,
  );
}

/** Lists held orders that are unwatched once a run has ended; empty without any. */
export const unwatchedText = (held: HeldOrders): string =>
  held.length === 0
    ? ''
    : `nobody watches ${countText(held)} from the end of the run until the next start, because the bot holds ${themText(held)}, not the venue:\n` +
      listText(held);

/** Lists held orders that are unwatched while no run is active, and how a halt affects them later; empty without any. */
export const haltedText = (held: HeldOrders): string =>
  held.length === 0
    ? ''
    : `nobody watches ${countText(held)} while no run is active, because the bot holds ${themText(held)}, not the venue; ` +
      `the next run sends nothing for ${themText(held)} until the halt ends:\n${listText(held)}`;

/** Result field with the held orders that are unwatched; omitted without any. */
export const unwatchedField = (held: HeldOrders): Readonly<{ unwatched?: readonly string[] }> =>
  held.length === 0 ? {} : { unwatched: held.map(({ id }) => id) };
