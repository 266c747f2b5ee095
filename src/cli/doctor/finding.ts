export type Verdict = 'ok' | 'warn' | 'fail';

/** Result of one check. `remedy`: what to do; null when nothing is to be done, or the detail says it. */
export type Finding = Readonly<{
  check: string;
  verdict: Verdict;
  detail: string;
  remedy: string | null;
  /** True for a failure with which a run starts all the same, without what it concerns. */
  bounded?: true;
  /** The assumption that was checked: its place under venue.assumptions, and the lines to write there, if any. */
  assumption?: Readonly<{
    entry: string;
    state: 'as assumed' | 'differs' | 'unchecked';
    edit: string | null;
  }>;
  /** Set on a failure that config or strategy cause, whatever the venue does. */
  mistake?: true;
}>;

export const ok = (check: string, detail: string): Finding => ({
  check,
  verdict: 'ok',
  detail,
  remedy: null,
});

type Trouble = Readonly<{ detail: string; remedy: string | null }>;
export const warn = (check: string, trouble: Trouble): Finding => ({ check, verdict: 'warn', ...trouble });
export const fail = (check: string, trouble: Trouble): Finding => ({ check, verdict: 'fail', ...trouble });

/** A failure that only a change of the config or of a strategy ends. */
export const mistake = (check: string, trouble: Trouble): Finding => ({
  ...fail(check, trouble),
  mistake: true,
});

/** A failure that concerns some stocks only: a run sends nothing for these. */
export const boundedFailure = (check: string, trouble: Trouble): Finding => ({
  ...fail(check, trouble),
  bounded: true,
});

export const failuresIn = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ verdict }) => verdict === 'fail');

/** True when asking the venue again cannot help. */
export const areMistakes = (failures: readonly Finding[]): boolean =>
  failures.every((failure) => failure.mistake === true);
