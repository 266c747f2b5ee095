import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tradingCalendar, type Session } from '../../src/calendar/index.ts';
import { epochMs } from '../../src/core/brand.ts';
import { seededRandom } from '../../src/core/random.ts';
import type { FaultRule } from '../../src/emulator/faults/index.ts';
import type { RunReport } from '../../src/engine/runtime/runner.ts';
import { drover, type Done } from '../e2e/cli.ts';
import { NO_LIES } from '../simulation/allowances.ts';
import { Spending } from '../simulation/spending.ts';
import { drawHardship, type Hardship } from './hardship.ts';
import { JournalSide } from './journalSide.ts';
import { isExcused, judgeEnd, judgeSends, unproven, type Finding, type Sides } from './judge.ts';
import { LiesInForce } from './lies.ts';
import { liveAndDie, startDaemon, type Command } from './life.ts';
import { boundsOf, writeConfig, type AccountSettings, type Settings, type Submission } from './settings.ts';
import { ordersOf, ownerIn } from './sides.ts';
import { SpendingSide } from './spendingSide.ts';
import { Tally } from './tally.ts';
import { VenueProcess } from './venueProcess.ts';

/** Kills before all is wound down and compared in full. */
const RUNS_A_DAY = 50;
const MINUTE_MS = 60_000;
/** So long before the close the day's last run begins at the latest, */
const LAST_RUN_MS = 60 * MINUTE_MS;
/**
 * and so long before it the daemon is started once more, to end the day in peace. A start takes seconds, and so minutes at the
 * venue; one that comes too late for this close would wait for the next.
 */
const WIND_DOWN_MS = 20 * MINUTE_MS;
/** Fastest that the venue is then. */
const CALM_SPEED = 60;
/** A daemon that ends by itself so often in a row does not run at all. */
const FALSE_STARTS_MAX = 20;
/** With which it ends when the venue does not answer. */
const VENUE_CODE = 3;
/** Kills on one account where venue and node lie: what they have frozen, nobody lets go. */
const RUNS_AN_ACCOUNT = 5;
/** A line by which a daemon alerts a person: time and sign. */
const ALARM = /^\S+ ! /;
/** With which a command ends that safety forbids: its own look does not bear the word out. */
const REFUSED_CODE = 4;
/** Of so many days, the wallet sends by itself on one. */
const CALLDATA_DAYS = 4;
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
    /** Read a little further after each run. */
    journal: JournalSide;
    spending: SpendingSide;
    liesInForce: LiesInForce;
    /** What the daemons of the account have said on stderr. */
    said: string[];
    /** What is done to each run, drawn in order from the seed. */
    next: (submission: Submission) => Hardship;
  }>;

/** Kills the daemon so many times. `dir` holds venue, journal and log of each account. */
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

/** A venue that lives on, and one journal, until the campaign has come to that many runs. */
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
    await venue.close();
  }
}

/** The same all day: what a wallet has sent by itself, and no list shows yet, is found by those alone who read the chain. */
const submissionOf = ({ submission }: Pick<Settings, 'submission'>, { days }: Tally): Submission =>
  submission !== 'mixed' ? submission : days % CALLDATA_DAYS === 1 ? 'calldata' : 'one-click';

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

/** Lives until one of them was killed: one that ended by itself is followed by another, in a venue that is calm. */
async function run(campaign: Today, hardship: Hardship): Promise<void> {
  const { tally, venue, dir, said } = campaign;
  const { indexerLagMs, face, names, fromStart } = hardship;
  const rules = possibleRules(campaign, hardship);
  const command = writeConfig(dir, venue.info, campaign);
  const lag = indexerLagMs === null ? {} : { indexerLagMs };
  const begin = () => venue.faults({ rules, ...lag, ...(face ? { node: face } : {}) });
  const nothing = () => Promise.resolve();
  if (fromStart) await begin();
  for (let tries = 0; tries < FALSE_STARTS_MAX; tries++) {
    const isFirst = tries === 0;
    const { killed, stopped, done } = await liveAndDie(command, hardship, isFirst ? begin : nothing);
    await venue.calm();
    said.push(done.err);
    if (stopped) tally.stops++;
    if (isFirst) tally.count(names);
    if (killed) {
      tally.kills++;
      return;
    }
    if (done.code === VENUE_CODE) tally.refusedStarts++;
    else {
      tally.crashes++;
      campaign.onCrash(done);
    }
  }
  throw new Error(`the daemon ends by itself again and again; its folder is ${dir}`);
}

/** A journal that has never seen the stocks' true terms cannot tell false ones from them. */
function possibleRules({ journal, liesInForce }: Campaign, { rules, lies }: Hardship): readonly FaultRule[] {
  const isPossible = ({ kind }: FaultRule) => kind !== 'false-listing' || journal.books.pins.isBegun;
  liesInForce.add(lies.filter(isPossible));
  return rules.filter(isPossible);
}

/** What holds at every instant. The venue is asked first: what it has by then is in the journal by now. */
async function look({ venue, journal, dir, spending, ...campaign }: Campaign): Promise<void> {
  const truth = await venue.truth();
  if (!existsSync(journalOf(dir))) return;
  journal.read();
  const sides = { truth, journal, userAddress: userOf(venue) };
  report(campaign, [...judgeSends(sides), ...spending.look(sides, ownerIn(journal))], journal);
}

/** The last minutes of the day in peace; then everything is compared with a journal that is read anew. */
async function windDown(campaign: Today, { close }: Session): Promise<void> {
  const { venue, tally, dir, onCrash, speed, said, spending } = campaign;
  await venue.calm();
  await venue.leap(epochMs(Math.max(close - WIND_DOWN_MS, await venue.now())), Math.min(speed, CALM_SPEED));
  const command = writeConfig(dir, venue.info, campaign);
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
  tally.byHand += await resolveByHand(command, before);
  const sides = read();
  report(campaign, [...judgeEnd(sides), ...spending.look(sides, ownerIn(sides.journal))], sides.journal);
  const { books } = sides.journal;
  tally.show({
    orders: summary?.orders ?? null,
    accepted: ordersOf(sides).length,
    frozen: books.frozen.size,
    excused: [...books.live.values()].filter((order) => isExcused(order, sides)).length,
  });
}

/** Whether a run may end with 1: something has no answer, or a lie has kept it from sending anything. */
const isOpenEnd = ({ stop, strategies }: RunReport, { lies: { lied } }: Sides): boolean =>
  strategies.every(({ state }) => state === 'running') &&
  (stop.left.unknown > 0 || (stop.unconfirmed !== undefined && lied.size > 0));

/** Whether an alarm has named an order. */
const toldIn =
  (said: readonly string[]) =>
  (id: string): boolean =>
    said.some((text) => text.split('\n').some((line) => ALARM.test(line) && isAbout(line, id)));

/** `order churn-0-1.1` is no word on `churn-0-1.12`. */
const isAbout = (line: string, id: string): boolean =>
  line.split(`order ${id}`).some((rest, index) => index > 0 && !/^\d/.test(rest));

/** Null for one that ended without a report. */
const summaryOf = ({ out }: Done): RunReport | null =>
  out.startsWith('{') ? (JSON.parse(out) as RunReport) : null;

/**
 * An account on which nothing more is sent proves nothing more: where every symbol and side waits for an answer, a person has
 * the last word, and has looked at the venue. An order that is there, or that may be, is left to the judge. Gives how many were resolved.
 */
async function resolveByHand({ file, env }: Command, sides: Sides): Promise<number> {
  let resolved = 0;
  for (const id of unproven(sides)) {
    const { code, err } = await drover(['orders', 'resolve', id, '--yes', '--config', file], env);
    if (code === 0) resolved++;
    else if (code !== REFUSED_CODE) throw new Error(`${id} cannot be resolved: ${err}`);
  }
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
