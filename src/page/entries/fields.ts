/** Fields of an entry of the journal, as JSON has them: amounts are decimals in texts. */
export type Fields = Readonly<Record<string, unknown>>;

/** Fields of a part of an entry; none if it has no such part. */
export const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];

/** Text or number of a field; empty if it has neither. */
export const textIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
