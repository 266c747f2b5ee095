import { oneLine } from '../../../core/printable.ts';
import { ok, warn, type Finding } from '../finding.ts';

/**
 * The result of checking one assumption. `entry`: its place under venue.assumptions. `edit`: the lines to write there, null
 * where a config cannot follow the venue.
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

/** Longest text of one: it repeats names and words of the venue. */
const TEXT_MAX = 600;

const NO_EDIT = 'Nothing can be written for this: please report it. docs/first-contact.md says what it means';

export function findingOf(checked: AssumptionResult): Finding {
  const { entry } = checked;
  const check = `assumption ${entry}`;
  const detail = oneLine(checked.detail, TEXT_MAX);
  if (checked.state !== 'differs') {
    const { state } = checked;
    const told = state === 'unchecked' ? `not checked: ${detail}` : detail;
    return { ...ok(check, told), assumption: { entry, state, edit: null } };
  }
  const { state, edit } = checked;
  const remedy = edit === null ? NO_EDIT : `Write, if that is what the venue means:\n${edit}`;
  return { ...warn(check, { detail: `differs: ${detail}`, remedy }), assumption: { entry, state, edit } };
}

/** A name as YAML: quoted where it would be read as something else. */
const plain = (text: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : JSON.stringify(text));

/** The lines of the config that give these names, at their place. */
export const editOf = (path: readonly string[], names: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(names).map(([ours, theirs]) => `${plain(ours)}: ${plain(theirs)}`);
  return linesOf([...path, `{ ${pairs.join(', ')} }`]);
};

/** The lines of the config that set one value, at its place. */
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
