import { epochSeconds, type EpochSeconds } from '../core/brand.ts';
import type { Desk } from './desk.ts';

/** How much of its time a send may give up so as to share its deadline with none of those under way. */
const GIVEN_UP_MAX = 2 / 3;

/** Until when a send can be mined. No two live orders share a second: it tells them apart on chain. */
export class Deadlines {
  readonly #desk: Desk;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /**
   * The latest that is free. It ends before the close: a block of that very second is of the next session, and a DAY order in
   * it would live until that one ends. Null when those under way leave none in which a send could well be mined.
   */
  next(close = Infinity): EpochSeconds | null {
    const { now, rules } = this.#desk;
    const latest = Math.floor(Math.min(now + rules.deadlineMs, close - 1) / 1000);
    for (let deadline = latest; deadline > latest - this.#most; deadline--)
      if (!this.isTaken(deadline)) return epochSeconds(deadline);
    return null;
  }

  isTaken(deadline: number): boolean {
    if (this.#desk.rules.answersAtOnce) return false;
    for (const { state, cancel } of this.#desk.books.live.values()) {
      if ('deadline' in state && state.deadline === deadline) return true;
      if ('deadline' in cancel && cancel.deadline === deadline) return true;
    }
    return false;
  }

  /** Whether as many orders are on their way as there are deadlines for: one more waits until the venue has shown some. */
  get areUsedUp(): boolean {
    const { books, rules } = this.#desk;
    const { live } = books;
    if (rules.answersAtOnce || live.size < this.#most) return false;
    let onTheirWay = 0;
    for (const { state } of live.values()) if (state.kind !== 'working') onTheirWay++;
    return onTheirWay >= this.#most;
  }

  get #most(): number {
    return Math.ceil((this.#desk.rules.deadlineMs / 1000) * GIVEN_UP_MAX);
  }
}
