import { resolve } from 'node:path';
import { inTime } from '../../../core/clock.ts';
import { messageOf } from '../../../core/errors.ts';
import { VERSION } from '../../../core/version.ts';
import { DaemonClient, type DaemonAddress } from '../../../ops/client.ts';
import { worstFirst, type Member } from '../../../ops/model/fleetOrder.ts';
import type { Upstream } from '../../../ops/page/gateway.ts';
import { moneyText } from '../../../report/numberText.ts';
import { fleetIn } from '../../../app/config/fleet.ts';
import type { CommandContext } from '../../../process/context.ts';
import { daemonsOf } from '../../../app/environment/daemons.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { coloursOf, printResult, table } from '../../../process/output.ts';

type FleetFlags = Readonly<{ fleet?: string }>;

/** Maximum wait for one daemon, in ms: a frozen one must not hide the others. */
const ANSWER_MS = 3_000;

type MemberProblem = Member & Readonly<{ why: string | null }>;

/**
 * `drover status --all`: every daemon of this user or of a file, one per line, the worst first. Exit 1 if one does not
 * respond.
 * @throws {ConfigError} when the file is not a list of daemons
 */
export async function fleetStatus({ fleet }: FleetFlags, context: CommandContext): Promise<number> {
  const upstreams =
    fleet === undefined ? await registered(context) : fleetIn(resolve(context.cwd, fleet), context.secrets);
  const asked = await Promise.all(upstreams.map((upstream) => ask(upstream, context)));
  const ranked = worstFirst(asked, VERSION);
  const daemons = ranked.map(({ member: { name, status, why }, why: faults }) => ({
    name,
    faults,
    ...(why !== null && { error: why }),
    status,
  }));
  printResult(context, { daemons }, textOf(ranked, context));
  return asked.every(({ answers }) => answers) ? EXIT.done : EXIT.failed;
}

const registered = async (context: CommandContext): Promise<Pick<Upstream, 'name' | 'reach'>[]> =>
  (await daemonsOf(context)).map(({ stateDir, socket }) => ({ name: stateDir, reach: () => ({ socket }) }));

/** Queries one daemon; if that fails, the row shows the failure. */
async function ask(
  { name, reach }: Pick<Upstream, 'name' | 'reach'>,
  context: CommandContext,
): Promise<MemberProblem> {
  const place = reach();
  if (place === null)
    return { name, answers: false, status: null, why: 'no daemon runs on its state folder' };
  const address: DaemonAddress = { ...place, client: `drover ${context.commandName}` };
  const client = new DaemonClient(address);
  try {
    const status = await inTime(ANSWER_MS, context.clock, () => client.status());
    if (status !== null) return { name, answers: true, status, why: null };
    return { name, answers: false, status: null, why: `no answer within ${ANSWER_MS / 1_000} s` };
  } catch (error) {
    return { name, answers: false, status: null, why: messageOf(error) };
  } finally {
    void client.close();
  }
}

/** Heads of the amounts: equity is of the account, what no strategy has included, and the profit of today of the strategies. */
const AMOUNTS = ['account equity', 'strategies today'];
const COUNTS = ['unknown', 'differences', 'alarms'];
const HEADS = ['daemon', 'state', ...AMOUNTS, ...COUNTS, 'version', 'wrong'];

function textOf(
  ranked: readonly Readonly<{ member: MemberProblem; why: readonly string[] }>[],
  { terminal }: CommandContext,
): string {
  if (ranked.length === 0) return 'no daemon of this user runs; --fleet FILE names others';
  const { red, green } = coloursOf(terminal);
  const rows = ranked.map(({ member: { name, status, why }, why: faults }) => {
    const wrong = faults.length === 0 ? green('nothing') : red(why ?? faults.join(', '));
    if (status === null) return [name, '–', '–', '–', '–', '–', '–', '–', wrong];
    const raised = status.alarms.filter(({ acknowledged }) => !acknowledged).length;
    const amounts = [moneyText(Number(status.equity)), moneyText(Number(status.pnl.today))];
    const counts = [status.unknown, status.differences.length, raised].map(String);
    return [name, status.state.trading, ...amounts, ...counts, status.version, wrong];
  });
  return table(HEADS, rows, [...AMOUNTS, ...COUNTS]);
}
