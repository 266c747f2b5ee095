import type { EpochMs } from '../../core/brand.ts';
import type { AlarmCode } from './alarmCodes.ts';
import type { Notice } from './notice.ts';

/** An alarm that has not been cleared. `at`: when it was first raised; `count`: how often since. */
export type Alarm = Readonly<{
  /** Short id that stays the same until the run ends, such as `a12`. */
  id: string;
  at: EpochMs;
  latestAt: EpochMs;
  strategyId: string | null;
  symbol: string | null;
  code: AlarmCode;
  text: string;
  count: number;
  acknowledged: boolean;
}>;

/** Maximum number of alarms kept: acknowledged ones are dropped first, and of each the oldest. */
const KEPT_MAX = 200;

/**
 * Alarms of a run, oldest first. An alarm raised again, with the same text or subject, raises the count and must be
 * acknowledged again. An all-clear ends the alarm of its subject; others stay until the run ends. Not journaled: after
 * a restart, lasting problems raise them again.
 */
export class AlarmBook {
  readonly #byKey = new Map<string, Alarm>();
  #raised = 0;

  get all(): readonly Alarm[] {
    return [...this.#byKey.values()];
  }

  /** Adds an alarm, or ends the alarm of an all-clear and adds its id to the notice. Other notices change nothing. */
  take(notice: Notice): Notice {
    if (notice.kind === 'alarm') this.#raise(notice);
    if (notice.kind !== 'clear' || notice.about === undefined) return notice;
    const ended = this.#byKey.get(alarmKey(notice));
    this.#byKey.delete(alarmKey(notice));
    return ended ? { ...notice, ends: ended.id } : notice;
  }

  /** The alarm with a key (`alarmKey`); undefined once it is over. */
  of(key: string): Alarm | undefined {
    return this.#byKey.get(key);
  }

  /** The alarm with an id, or all alarms not yet acknowledged. */
  named(id?: string): readonly Alarm[] {
    return this.all.filter((alarm) => (id === undefined ? !alarm.acknowledged : alarm.id === id));
  }

  acknowledge(ids: ReadonlySet<string>): void {
    for (const [key, alarm] of this.#byKey)
      if (ids.has(alarm.id)) this.#byKey.set(key, { ...alarm, acknowledged: true });
  }

  #raise(notice: Notice): void {
    const { at: latestAt, strategyId, text, symbol = null, code = 'UNCLASSIFIED' } = notice;
    const key = alarmKey(notice);
    const { id, at, count } = this.#byKey.get(key) ?? { id: `a${++this.#raised}`, at: latestAt, count: 0 };
    const of = { strategyId, symbol, code };
    this.#byKey.set(key, { id, at, latestAt, text, count: count + 1, acknowledged: false, ...of });
    if (this.#byKey.size > KEPT_MAX) this.#forgetOne();
  }

  #forgetOne(): void {
    const entries = [...this.#byKey];
    const [key] = entries.find(([, { acknowledged }]) => acknowledged) ?? entries[0] ?? [];
    if (key !== undefined) this.#byKey.delete(key);
  }
}

/** Key of an alarm and its all-clear: the subject, or else the text. */
export const alarmKey = ({ about, strategyId, text }: Notice): string =>
  about === undefined ? JSON.stringify([strategyId, text]) : about;
