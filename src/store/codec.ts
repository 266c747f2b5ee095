/** JSON for records with bigints: `{"$n":"12"}` stands for `12n`, and nothing else is special. */
export const encode = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? { $n: part.toString() } : part));

export const decode = (text: string): unknown =>
  JSON.parse(text, (_key, part: unknown) => (isTagged(part) ? BigInt(part.$n) : part));

const isTagged = (part: unknown): part is { $n: string } =>
  typeof part === 'object' &&
  part !== null &&
  '$n' in part &&
  typeof part.$n === 'string' &&
  Object.keys(part).length === 1;
