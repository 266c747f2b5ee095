import type { Status } from './status.ts';

/** A daemon in a list. `answers`: false while it does not respond. `status`: its last one; null before the first. */
export type Member = Readonly<{ name: string; answers: boolean; status: Status | null }>;

type RankedMember<Of> = Readonly<{ member: Of; why: readonly string[] }>;

/** Possible faults of a daemon, worst first. */
const FAULTS: readonly (readonly [is: (member: Member, version: string) => boolean, text: string])[] = [
  [({ answers }) => !answers, 'no answer'],
  [({ status }) => status !== null && !status.running, 'does not run'],
  [({ status }) => (status?.frozen.length ?? 0) > 0, 'frozen'],
  [({ status }) => (status?.unknown ?? 0) > 0, 'unknown orders'],
  [({ status }) => (status?.alarms ?? []).some(({ acknowledged }) => !acknowledged), 'alarms'],
  [({ status }) => (status?.differences.length ?? 0) > 0, 'differences'],
  [({ status }) => status !== null && !status.ready, 'not ready'],
  [({ status }, version) => status !== null && status.version !== version, 'another version'],
];

/** Daemons with their faults, worst first, then by name. `version`: that of the reader. */
export function worstFirst<Of extends Member>(members: readonly Of[], version: string): RankedMember<Of>[] {
  const ranked = members.map((member) => {
    const faults = FAULTS.map(([is]) => is(member, version));
    return { member, faults, why: FAULTS.flatMap(([, text], at) => (faults[at] ? [text] : [])) };
  });
  return ranked
    .toSorted(
      (one, other) => compare(one.faults, other.faults) || one.member.name.localeCompare(other.member.name),
    )
    .map(({ member, why }) => ({ member, why }));
}

/** Order of two rows of faults: decided by the first fault that only one has. */
function compare(one: readonly boolean[], other: readonly boolean[]): number {
  const at = one.findIndex((has, index) => has !== other[index]);
  return at < 0 ? 0 : one[at] ? -1 : 1;
}
