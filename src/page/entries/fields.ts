/** Fields of a journal entry as JSON: amounts are decimal text. */
export type Fields = Readonly<Record<string, unknown>>;

/** Fields of a part of an entry; empty if it has no such part. */
export const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];

/** Text or number in a field; empty if it is neither. */
export const textIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
