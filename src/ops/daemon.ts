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

/** A running daemon, as its control API uses it. Reads never wait, and return the state after the last step. */
export interface Daemon {
  readonly identity: DaemonIdentity;
  /** State of the kernel: read it, never change it. */
  readonly context: EngineContext;
  /** Open alarms: read only; the command `acknowledge` marks them. */
  readonly alarms: AlarmBook;
  status(): Status;
  health(): Health;
  /** Reason why the run counts as hung although it responds; null while its kernel makes progress. */
  standstill(): string | null;
  /**
   * Metrics in the Prometheus text format. The first call starts counting requests and commits.
   * @param readers number of event readers
   */
  metrics(readers: () => number): Promise<MetricsText>;
  /** Resolves with the durable response. @throws {OutcomeUnknownError} when the run ends first */
  command(request: OperatorRequest): Promise<OperatorAnswer>;
  /** Refusal that a manual order or transfer would get now, or null. */
  refusal(command: CommandOf<'order' | 'transfer'>): Refusal | null;
  /** Progress of a command; null for an unknown id. */
  progress(id: CommandId): CommandProgress | null;
  /** Number of the journal's last entry. */
  journalLength(): number;
  /** Latest notices, oldest first, at most `count`. */
  notices(count: number): readonly NoticeView[];
  /** Calls `listener` with all events from now on. */
  subscribe(listener: (event: DaemonEvent) => void): Cancel;
}

/** The parts of a run that commands need. */
export type CommandedRun = Pick<Daemon, 'context' | 'command' | 'refusal' | 'progress'>;

/** `account`: as named in the state folder. `stateDir`: absolute path. */
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

/** Response to a scrape. `type`: its media type. */
export type MetricsText = Readonly<{ text: string; type: string }>;

/** Events of a daemon. `first`: journal number of the first of these entries. */
export type DaemonEvent = Readonly<
  { kind: 'committed'; first: number; entries: readonly JournalEntry[] } | { kind: 'notice'; notice: Notice }
>;
