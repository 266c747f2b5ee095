import type { NodeAnswer } from './witnesses.ts';

/** A difference between two nodes' responses: its place, and each side's form. */
export type Difference = Readonly<{ at: string; emulator: string; anvil: string }>;

const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^0x$/, 'no bytes'],
  [/^0x[0-9a-f]{40}$/i, 'address'],
  [/^0x[0-9a-f]{60,64}$/i, '32 bytes'],
  [/^0x(0|[1-9a-f][0-9a-f]{0,31})$/, 'quantity'],
  [/^0x([0-9a-f]{2})+$/i, 'bytes'],
];

/** The form of a single value. */
function formOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (typeof value !== 'string') return typeof value;
  return FORMS.find(([pattern]) => pattern.test(value))?.[1] ?? 'text';
}

/** The forms of all values in a response, by path. The first entry of a list stands for all. */
function formsOf(value: unknown, path: string): Map<string, string> {
  if (Array.isArray(value))
    return value.length === 0 ? new Map([[path, 'empty list']]) : formsOf(value[0], `${path}[]`);
  if (typeof value !== 'object' || value === null) return new Map([[path, formOf(value)]]);
  return new Map(Object.entries(value).flatMap(([name, each]) => [...formsOf(each, `${path}.${name}`)]));
}

/** Results by their form; errors by their exact code and message. */
function partsOf({ result, error }: NodeAnswer): Map<string, string> {
  if (!error) return formsOf(result, 'result');
  const data = formsOf(error.data, 'error.data');
  return new Map([['error.code', String(error.code)], ['error.message', error.message], ...data]);
}

/** Places where two responses to one request differ. */
export function differencesOf(emulator: NodeAnswer, anvil: NodeAnswer): Difference[] {
  const [ours, theirs] = [partsOf(emulator), partsOf(anvil)];
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .map((at) => ({ at, emulator: ours.get(at) ?? 'absent', anvil: theirs.get(at) ?? 'absent' }))
    .filter((each) => each.emulator !== each.anvil);
}
