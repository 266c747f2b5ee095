/** Counts of a campaign: requests by kind, broken rules, ends, and the venue's choices where the specification is silent. */
import type { Answer, Fault } from './verdict.ts';

const bump = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

export class Tally {
  requests = 0;
  readonly kinds = new Map<string, number>();
  readonly rules = new Map<string, number>();
  readonly events = new Map<string, number>();
  /** The venue's responses to requests that break no documented rule but touch an undocumented one. */
  readonly silences = new Map<string, number>();

  count(kind: string, faults: readonly Fault[], answer: Answer): void {
    this.requests++;
    bump(this.kinds, `${kind} ${answer.code === 200 ? 'accepted' : 'refused'}`);
    for (const { rule } of faults) bump(this.rules, rule);
    if (faults.some((fault) => fault.sure)) return;
    const answered = answer.code === 200 ? 'accepted' : `refused with ${answer.code}`;
    for (const { rule } of faults) bump(this.silences, `${rule}: ${answered}`);
  }

  chain(event: string): void {
    bump(this.events, event);
  }

  toJSON(): object {
    const sorted = (counts: Map<string, number>) =>
      Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
    return {
      requests: this.requests,
      kinds: sorted(this.kinds),
      chain: sorted(this.events),
      rules: sorted(this.rules),
      silences: sorted(this.silences),
    };
  }
}
