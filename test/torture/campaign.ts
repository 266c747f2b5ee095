import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tradingCalendar, type Session } from '../../src/calendar/index.ts';
import { epochMs } from '../../src/core/brand.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import type { FaultRule } from '../../src/emulator/state/faultRules.ts';
import type { SyntheticState } from '../../src/domain/orders/syntheticOrder.ts';
import type { RunReport } from '../../src/engine/runtime/runner.ts';
import { drover, type Done } from '../e2e/cli.ts';
import { NO_LIES } from '../simulation/allowances.ts';
import { HELD_COUNTERS } from '../simulation/heldCounters.ts';
import { Spending } from '../simulation/spending.ts';
import { drawHardship, type Hardship } from './hardship.ts';
import { JournalSide } from './journalSide.ts';
import { isExcused, judgeEnd, judgeSends, unproven, type Finding, type Sides } from './judge.ts';
import { judgeHeld, judgeHeldEnd } from './heldJudge.ts';
import { momentsOf } from './heldSide.ts';
import { LiesInForce } from './lies.ts';
import { NotificationSide } from './notificationSide.ts';
import { liveAndDie, liveUnread, startDaemon, type Command } from './life.ts';
import { boundsOf, writeConfig, type AccountSettings, type Settings, type Submission } from './settings.ts';
import { ordersOf, ownerIn } from './sides.ts';
import { SpendingSide } from './spendingSide.ts';
import { Steering } from './steering.ts';
import { Tally } from './tally.ts';
import { VenueProcess } from './venueProcess.ts';

/** Kills before the account is wound down and compared in full. */
const RUNS_A_DAY = 50;
const MINUTE_MS = 60_000;
/** Time before the close by which the day's last run begins, */
const LAST_RUN_MS = 60 * MINUTE_MS;
/**
 * and at which the daemon is started once more to end the day without faults. A start takes seconds, and therefore
 * minutes at the venue; one that is too late for this close would wait for the next.
 */
const WIND_DOWN_MS = 20 * MINUTE_MS;
/** Highest speed of the venue then. */
const CALM_SPEED = 60;
/** Number of times in a row that a daemon may end by itself before it counts as broken. */
const FALSE_STARTS_MAX = 20;
/** Exit code when the venue does not answer. */
const VENUE_CODE = 3;
/** Exit codes of a stopped daemon: in order, with unknown orders left, or while it read its journal. */
const ENDED_CODES: ReadonlySet<number | null> = new Set([0, 1, 130]);
/** Kills on one account where venue and node make false statements: the freezes they cause are not lifted. */
const RUNS_AN_ACCOUNT = 5;
/** A line with which a daemon alerts a person: time and sign. */
const ALARM = /^\S+ ! /;
/** Exit code of a command that a safety rule forbids, because its own reading contradicts the operator. */
const REFUSED_CODE = 4;
/** One day in this many, the wallet sends its own transactions. */
const CALLDATA_DAYS = 4;
/** One run in this many is stopped while its output is no longer read; another one is then killed in its place. */
const UNREAD_RUNS = 10;
const FIRST_DAY = epochMs(Date.parse('2026-06-15T09:00:00Z'));

export type Listeners = Readonly<{
  onRun: (tally: Tally) => void;
  onFinding: (finding: Finding, journal: JournalSide) => void;
  onCrash: (done: Done) => void;
}>;

type Campaign = Omit<Settings, 'submission'> &
  AccountSettings &
  Listeners &
  Readonly<{
    dir: string;
    venue: VenueProcess;
    tally: Tally;
    /** Position in the journal up to which it was read. */
    journal: JournalSide;
    spending: SpendingSide;
    liesInForce: LiesInForce;
    steering: Steering;
    notifications: NotificationSide;
    /** Stderr of the account's daemons. */
    said: string[];
    /** Hardships of each run, drawn in order from the seed. */
    next: (submission: Submission) => Hardship;
  }>;

/** Kills the daemon the given number of times. `dir` holds venue, journal and log of each account. */
export async function torture(
  settings: Settings,
  listeners: Listeners,
): Promise<{ tally: Tally; dir: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'drover-torture-'));
  const { seed, runs, lies } = settings;
  const random = seededRandom(`torture ${seed}`);
  const tally = new Tally();
  const next = (submission: Submission) => drawHardship(random, { submission, lies });
  while (tally.runs < runs) {
    const last = lies ? Math.min(runs, tally.runs + RUNS_AN_ACCOUNT) : runs;
    const own = { ...settings, seed: seed + tally.accounts, runs: last };
    tally.openAccount();
    await onAccount({ ...own, ...listeners, tally, next, dir: join(dir, `account-${tally.accounts}`) });
  }
  return { tally, dir };
}

/** Runs on one venue and one journal until the campaign has had the given number of runs. */
async function onAccount(
  given: Settings & Listeners & Pick<Campaign, 'tally' | 'next' | 'dir'>,
): Promise<void> {
  const { dir, seed, speed, runs, lies, tally } = given;
  mkdirSync(dir);
  let session = tradingCalendar.nextSession(FIRST_DAY);
  const start = epochMs(session.open + MINUTE_MS);
  const venue = await VenueProcess.open({ dir, seed, speed, start });
  const campaign = {
    ...given,
    start,
    venue,
    journal: new JournalSide(journalOf(dir)),
    spending: new SpendingSide(new Spending(boundsOf({ seed, lies, start }))),
    liesInForce: new LiesInForce(),
    steering: steeringOf(given),
    notifications: await new NotificationSide({ journal: journalOf(dir), seed }).open(),
    said: [],
  };
  try {
    for (let isFirst = true; tally.runs < runs; isFirst = false) {
      if (!isFirst) {
        session = tradingCalendar.nextSession(session.close);
        await venue.leap(epochMs(session.open + MINUTE_MS));
      }
      const today = { ...campaign, submission: submissionOf(given, tally) };
      await day(today, session);
      await windDown(today, session);
    }
  } finally {
    tally.steered(campaign.steering.counts);
    tally.notified(campaign.notifications.counts);
    await campaign.notifications.close();
    tally.meet(heldCounts(campaign.journal));
    await venue.close();
  }
}

/** Drawn apart from the hardships, which are the same with and without an operator. */
const steeringOf = ({ dir, seed, lies }: Pick<Campaign, 'dir' | 'seed' | 'lies'>): Steering =>
  new Steering({
    stateDir: join(dir, 'state'),
    random: seededRandom(`steering ${seed}`),
    name: `torture-${seed}`,
    lies,
  });

/**
 * Way of sending of a whole day, because a wallet's own transaction that no list shows yet is found only by readers of
 * the chain.
 */
const submissionOf = ({ submission }: Pick<Settings, 'submission'>, { days }: Tally): Submission =>
  submission !== 'mixed' ? submission : days % CALLDATA_DAYS === 1 ? 'calldata' : 'one-click';

/** Events of held orders by the journal; those that tell of the venue, or of a kill, are counted elsewhere. */
function heldCounts(journal: JournalSide): Record<string, number> {
  const counted = HELD_COUNTERS.filter((name) => !name.startsWith('killed'));
  return Object.fromEntries(counted.map((name) => [name, journal.held.met[name]]));
}

const journalOf = (dir: string): string => join(dir, 'state', 'journal.sqlite');

type Today = Campaign & Readonly<{ submission: Submission }>;

async function day(campaign: Today, { close }: Session): Promise<void> {
  const { tally, venue, runs } = campaign;
  const last = Math.min(runs, tally.runs + RUNS_A_DAY);
  while (tally.runs < last && (await venue.now()) < close - LAST_RUN_MS) {
    await run(campaign, campaign.next(campaign.submission));
    await look(campaign);
    tally.runs++;
    campaign.onRun(tally);
  }
}

/** Runs daemons until one was killed: one that ended by itself is followed by another, at a venue without faults. */
async function run(campaign: Today, hardship: Hardship): Promise<void> {
  const { tally, venue, dir, said, steering, notifications } = campaign;
  const { indexerLagMs, face, names, fromStart } = hardship;
  const rules = possibleRules(campaign, hardship);
  const command = writeConfig(dir, venue.info, campaign);
  const lag = indexerLagMs === null ? {} : { indexerLagMs };
  const begin = () => venue.faults({ rules, ...lag, ...(face ? { node: face } : {}) });
  const nothing = () => Promise.resolve();
  if (fromStart) await begin();
  if (tally.runs % UNREAD_RUNS === 1) await runUnread(campaign, command, hardship.kill.ms);
  for (let tries = 0; tries < FALSE_STARTS_MAX; tries++) {
    const isFirst = tries === 0;
    notifications.born({ isCalm: false });
    const { killed, stopped, done } = await liveAndDie(command, hardship, {
      onStarted: isFirst ? begin : nothing,
      beside: (ended) => steering.drive(ended),
    });
    await venue.calm();
    notifications.died();
    said.push(done.err);
    if (stopped) tally.stops++;
    if (isFirst) tally.count(names);
    if (killed) return;
    if (done.code === VENUE_CODE) tally.refusedStarts++;
    else if (steering.isStopped && ENDED_CODES.has(done.code)) tally.stoppedByHand++;
    else {
      tally.crashes++;
      campaign.onCrash(done);
    }
  }
  throw new Error(`the daemon ends by itself again and again; its folder is ${dir}`);
}

/** Runs a daemon whose output is not read once it has started, and stops it. */
async function runUnread(campaign: Today, command: Command, ms: number): Promise<void> {
  const { tally, said, steering, notifications, journal } = campaign;
  notifications.born({ isCalm: false });
  const { late, isFull, done } = await liveUnread(command, ms, {
    onStarted: () => Promise.resolve(),
    beside: (ended) => steering.drive(ended),
  });
  notifications.died();
  said.push(done.err);
  if (isFull) tally.count(['unread-output']);
  const text = `a daemon whose output nobody reads has not ended in time (run ${tally.runs})`;
  if (late) report(campaign, [{ kind: 'heldUp', text }], journal);
  else if (!ENDED_CODES.has(done.code) && done.code !== VENUE_CODE) {
    tally.crashes++;
    campaign.onCrash(done);
  }
}

/** Rules that can apply: a journal that has never seen the stocks' true terms cannot recognise false ones. */
function possibleRules({ journal, liesInForce }: Campaign, { rules, lies }: Hardship): readonly FaultRule[] {
  const isPossible = ({ kind }: FaultRule) => kind !== 'false-listing' || journal.books.pins.isBegun;
  liesInForce.add(lies.filter(isPossible));
  return rules.filter(isPossible);
}

/** Checks what must hold at every instant. The venue is read first: what it has by then is in the journal by now. */
async function look({ venue, journal, dir, spending, ...campaign }: Campaign): Promise<void> {
  const truth = await venue.truth();
  const hasBegun = existsSync(journalOf(dir));
  if (hasBegun) journal.read();
  campaign.tally.killed(momentsOf(journal.books));
  if (!hasBegun) return;
  const sides = { truth, journal, userAddress: userOf(venue) };
  const found = [
    ...judgeSends(sides),
    ...judgeHeld(sides, campaign.liesInForce.about(sides)),
    ...campaign.steering.findings(journal),
    ...spending.look(sides, ownerIn(journal)),
  ];
  report(campaign, found, journal);
}

/** Ends the day without faults, then compares everything with a journal that is read again. */
async function windDown(campaign: Today, { close }: Session): Promise<void> {
  const { venue, tally, dir, onCrash, speed, said, spending, notifications } = campaign;
  await venue.calm();
  await venue.leap(epochMs(Math.max(close - WIND_DOWN_MS, await venue.now())), Math.min(speed, CALM_SPEED));
  const command = writeConfig(dir, venue.info, campaign);
  notifications.born({ isCalm: true });
  const done = await startDaemon(command, '--until', 'close').done;
  said.push(done.err);
  tally.days++;
  const truth = await venue.truth();
  const read = (): Sides => {
    const journal = new JournalSide(journalOf(dir));
    journal.read();
    const both = { journal, truth, userAddress: userOf(venue) };
    const lied = campaign.liesInForce.about(both);
    return { ...both, lies: campaign.lies ? { lied, isTold: toldIn(said) } : NO_LIES };
  };
  const before = read();
  const summary = summaryOf(done);
  if (!summary || (done.code !== 0 && !isOpenEnd(summary, before))) {
    tally.crashes++;
    onCrash(done);
  }
  const unheard = notifications.findings();
  tally.byHand += await resolveByHand(command, before);
  const sides = read();
  const found = [
    ...judgeEnd(sides),
    ...judgeHeld(sides, campaign.liesInForce.about(sides)),
    ...judgeHeldEnd(sides, { isTold: isHeldTold(said) }),
    ...campaign.steering.findings(sides.journal),
    ...spending.look(sides, ownerIn(sides.journal)),
    ...unheard,
  ];
  report(campaign, found, sides.journal);
  const { books } = sides.journal;
  tally.show({
    orders: summary?.orders ?? null,
    accepted: ordersOf(sides).length,
    frozen: books.frozen.size,
    excused: [...books.live.values()].filter((order) => isExcused(order, sides)).length,
  });
}

/** True when a run may exit with 1: something is unknown, or a false statement or an invented order has kept it from sending. */
const isOpenEnd = ({ stop, strategies }: RunReport, sides: Sides): boolean =>
  strategies.every(({ state }) => state === 'running') &&
  (stop.left.unknown > 0 ||
    (stop.unconfirmed !== undefined && (sides.lies.lied.size > 0 || awaitsInvented(sides))));

/** True when a start waits for an operator's word on orders that there are not: it has read a list without an end. */
function awaitsInvented(sides: Sides): boolean {
  const real = new Set<string>(ordersOf(sides).map(({ txHash }) => txHash));
  return [...sides.journal.books.externals.unaccepted.keys()].some((txHash) => !real.has(txHash));
}

/** True when an alarm has named an order. */
const toldIn =
  (said: readonly string[]) =>
  (id: string): boolean =>
    said.some((text) => text.split('\n').some((line) => ALARM.test(line) && isAbout(line, id)));

/** True when an alarm has named a held order: it contains its stock, and belongs to its strategy. */
const isHeldTold =
  (said: readonly string[]) =>
  ({ order: { strategyId, symbol } }: SyntheticState): boolean =>
    said
      .flatMap((text) => text.split('\n'))
      .some((line) => ALARM.test(line) && line.includes(strategyId) && line.includes(symbol));

/** True when a line names this order: `order churn-0-1.1` is not `order churn-0-1.12`. */
const isAbout = (line: string, id: string): boolean =>
  line.split(`order ${id}`).some((rest, index) => index > 0 && !/^\d/.test(rest));

/** Report of a daemon; null when it ended without one. */
const summaryOf = ({ out }: Done): RunReport | null =>
  out.startsWith('{') ? (JSON.parse(out) as RunReport) : null;

/**
 * Resolves unknown orders where they block every symbol and side, because an account that sends nothing proves nothing.
 * The operator has looked at the venue, and repeats what was refused; an order that is there, or may be, is left to the judge.
 * Returns the number resolved.
 */
async function resolveByHand({ file, env }: Command, sides: Sides): Promise<number> {
  const isResolved = async (id: string): Promise<boolean> => {
    const { code, err } = await drover(['orders', 'resolve', id, '--yes', '--config', file], env);
    if (code !== 0 && code !== REFUSED_CODE) throw new Error(`${id} cannot be resolved: ${err}`);
    return code === 0;
  };
  let resolved = 0;
  for (const id of unproven(sides)) if ((await isResolved(id)) || (await isResolved(id))) resolved++;
  return resolved;
}

function report(
  { tally, onFinding }: Pick<Campaign, 'tally' | 'onFinding'>,
  findings: readonly Finding[],
  journal: JournalSide,
): void {
  for (const finding of tally.add(findings)) onFinding(finding, journal);
}

function userOf({ info: { accounts } }: VenueProcess): string {
  return accounts[0]?.userAddress ?? '';
}
