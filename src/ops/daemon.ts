import type { Cancel } from '../core/clock.ts';
import type { JournalEntry } from '../domain/journalEvent.ts';
import type {
  CommandProgress,
  OperatorAnswer,
  OperatorRequest,
  Refusal,
  CommandOf,
} from '../domain/operator/command.ts';
import type { AlarmBook } from '../engine/state/alarms.ts';
import type { EngineContext } from '../engine/state/engineContext.ts';
import type { Notice } from '../engine/state/notice.ts';
import type { Health } from './health.ts';
import type { NoticeView, Status } from './model/status.ts';
import type { CommandId } from '../domain/operator/restriction.ts';

/** A running daemon, as its control API sees it. Reads never wait, and are made from the state after the last step. */
export interface Daemon {
  readonly identity: DaemonIdentity;
  /** State of the kernel: read it, never change it. */
  readonly context: EngineContext;
  /** Alarms that nobody has cleared: read them; the command `acknowledge` marks them. */
  readonly alarms: AlarmBook;
  status(): Status;
  health(): Health;
  /** Reason why the run counts as hung although it answers; null while its kernel takes steps. */
  standstill(): string | null;
  /**
   * Metrics in the text format of Prometheus. The first call begins the count of requests and commits.
   * @param readers number of readers of the events
   */
  metrics(readers: () => number): Promise<MetricsText>;
  /** Resolves with the durable answer. @throws {OutcomeUnknownError} when the run ends first */
  command(request: OperatorRequest): Promise<OperatorAnswer>;
  /** Refusal that a manual order or transfer would meet now, or null. */
  refusal(command: CommandOf<'order' | 'transfer'>): Refusal | null;
  /** Progress of a command; null for an unknown id. */
  progress(id: CommandId): CommandProgress | null;
  /** Number of the last entry of the journal. */
  journalLength(): number;
  /** Latest notices, oldest first, at most `count`. */
  notices(count: number): readonly NoticeView[];
  /** Calls `listener` with all that happens from now on. */
  subscribe(listener: (event: DaemonEvent) => void): Cancel;
}

/** A run as its commands need it. */
export type CommandedRun = Pick<Daemon, 'context' | 'command' | 'refusal' | 'progress'>;

/** `account`: as the state folder names it. `stateDir`: absolute path. */
export type DaemonIdentity = Readonly<{
  mode: 'emulator' | 'dry-run' | 'live';
  account: string;
  version: string;
  stateDir: string;
  pid: number;
  startedAt: string;
  /** Files that stop the run while they exist. */
  killFiles: readonly string[];
}>;

/** Answer to a scrape. `type`: its media type. */
export type MetricsText = Readonly<{ text: string; type: string }>;

/** Happenings of a daemon. `first`: number in the journal of the first of these entries. */
export type DaemonEvent = Readonly<
  { kind: 'committed'; first: number; entries: readonly JournalEntry[] } | { kind: 'notice'; notice: Notice }
>;
