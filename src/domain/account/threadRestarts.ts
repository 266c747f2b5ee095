import type { EpochMs } from '../../core/brand.ts';
import type { JournalEvent } from '../journalEvent.ts';

/** Restarts of strategies that lost their code with a thread that they shared. */
export class ThreadRestarts {
  /** The latest one of each strategy. */
  readonly latest = new Map<string, Readonly<{ at: EpochMs; why: string }>>();
  /** Strategies that have ended a thread or outgrown it: each has one of its own. */
  readonly alone = new Set<string>();

  apply({ strategyId, why, alone }: Extract<JournalEvent, { kind: 'strategyRestarted' }>, at: EpochMs): void {
    this.latest.set(strategyId, { at, why });
    this.alone.add(alone);
  }
}
