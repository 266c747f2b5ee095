/**
 * JSON for records with bigints: `{"$n":"12"}` stands for `12n`. An object of the record itself that looks like that, as
 * a strategy's state may, gets one more `$` on the way in and loses it on the way out.
 */
export const encode = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return { $n: part.toString() };
    const tag = tagOf(part);
    return tag ? { [`$${tag.key}`]: tag.value } : part;
  });

export const decode = (text: string): unknown =>
  JSON.parse(text, (_key, part: unknown) => {
    const tag = tagOf(part);
    if (!tag) return part;
    return tag.key === '$n' ? BigInt(String(tag.value)) : { [tag.key.slice(1)]: tag.value };
  });

function tagOf(part: unknown): { key: string; value: unknown } | null {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return null;
  const keys = Object.keys(part);
  const [key] = keys;
  if (key === undefined || keys.length > 1 || !/^\$+n$/.test(key)) return null;
  return { key, value: (part as Readonly<Record<string, unknown>>)[key] };
}
