import type { MessageRule } from './rules.ts';

type Edit = Pick<Extract<MessageRule, { kind: 'edit' }>, 'path' | 'value' | 'remove'>;

/**
 * The body with something else at a path, `data.rows.*.status`: names and numbers between dots, `*` for each. A last
 * name that is not there is added. A body that is no JSON stays as it is.
 */
export function edited(body: string, { path, value, remove }: Edit): string {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return body;
  }
  change(json, path.split('.'), remove ? undefined : (value ?? null));
  return JSON.stringify(json);
}

/** Undefined takes it out. */
function change(node: unknown, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const container = node as Record<string, unknown>;
  for (const key of name === '*' ? Object.keys(container) : [name]) {
    if (rest.length > 0) change(container[key], rest, value);
    else if (value !== undefined) container[key] = value;
    else if (Array.isArray(container)) container.splice(Number(key), 1);
    else Reflect.deleteProperty(container, key);
  }
}
