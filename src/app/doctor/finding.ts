import { oneLine } from '../../core/printable.ts';

export type Verdict = 'ok' | 'warn' | 'fail';

/** Result of one check. `remedy`: what to do; null when there is nothing to do, or the detail says it. */
export type Finding = Readonly<{
  check: string;
  verdict: Verdict;
  detail: string;
  remedy: string | null;
  /** True for a failure that does not prevent a run, which then does without the affected part. */
  bounded?: true;
  /** The assumption that was checked: its place under venue.assumptions, and the lines to write there, if any. */
  assumption?: Readonly<{
    entry: string;
    state: 'as assumed' | 'differs' | 'unchecked';
    edit: string | null;
  }>;
  /** True for a failure caused by config or strategy, whatever the venue does. */
  mistake?: true;
  /** True for a failure of single strategies, stocks or channels: it prevents only the first start on a state folder. */
  isOfItems?: true;
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

/** A failure that persists until the config or a strategy is changed. */
export const mistake = (check: string, trouble: Trouble): Finding => ({
  ...fail(check, trouble),
  mistake: true,
});

/** A mistake in single strategies, stocks or channels: later starts leave these out and continue. */
export const itemMistake = (check: string, trouble: Trouble): Finding => ({
  ...mistake(check, trouble),
  isOfItems: true,
});

export const failuresIn = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ verdict }) => verdict === 'fail');

/** True when asking the venue again cannot help. */
export const areMistakes = (failures: readonly Finding[]): boolean =>
  failures.every((failure) => failure.mistake === true);

/**
 * The result of checking one assumption. `entry`: its place under venue.assumptions. `edit`: the lines to write there, null if a
 * config cannot follow the venue.
 */
export type AssumptionResult = Readonly<{ entry: string; detail: string }> &
  Readonly<{ state: 'as assumed' | 'unchecked' } | { state: 'differs'; edit: string | null }>;

export const asAssumed = (entry: string, detail = 'as assumed'): AssumptionResult => ({
  entry,
  detail,
  state: 'as assumed',
});

export const unchecked = (entry: string, why: string): AssumptionResult => ({
  entry,
  detail: why,
  state: 'unchecked',
});

export const differs = (entry: string, detail: string, edit: string | null): AssumptionResult => ({
  entry,
  detail,
  state: 'differs',
  edit,
});

/** Maximum length of one text: it repeats names and words of the venue. */
const TEXT_MAX = 600;

const NO_EDIT = 'Nothing can be written for this: please report it. docs/first-contact.md says what it means';

export function findingOf(checked: AssumptionResult): Finding {
  const { entry } = checked;
  const check = `assumption ${entry}`;
  const detail = oneLine(checked.detail, TEXT_MAX);
  if (checked.state !== 'differs') {
    const { state } = checked;
    const text = state === 'unchecked' ? `not checked: ${detail}` : detail;
    return { ...ok(check, text), assumption: { entry, state, edit: null } };
  }
  const { state, edit } = checked;
  const remedy = edit === null ? NO_EDIT : `Write, if that is what the venue means:\n${edit}`;
  return { ...warn(check, { detail: `differs: ${detail}`, remedy }), assumption: { entry, state, edit } };
}

/** A name as YAML: quoted if it would otherwise be parsed as something else. */
const plain = (text: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : JSON.stringify(text));

/** Config lines that set these names, at their place. */
export const editOf = (path: readonly string[], names: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(names).map(([ours, theirs]) => `${plain(ours)}: ${plain(theirs)}`);
  return linesOf([...path, `{ ${pairs.join(', ')} }`]);
};

/** Config lines that set one value, at its place. */
export const settingOf = (path: readonly string[], value: string): string => linesOf([...path, value]);

function linesOf(parts: readonly string[]): string {
  const keys = ['venue', 'assumptions', ...parts.slice(0, -1)];
  return keys
    .map((key, depth) => {
      const line = `${'  '.repeat(depth)}${key}:`;
      return depth === keys.length - 1 ? `${line} ${parts.at(-1) ?? ''}` : line;
    })
    .join('\n');
}
