/** Shortest value that is masked: a shorter one would mask ordinary text. */
const SECRET_MIN = 6;
export const MASK = '[redacted]';

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Forms of a secret in JSON, and in nested JSON such as a body quoted in a log line: each level adds backslashes. */
const escaped = (text: string): string =>
  JSON.stringify(text).slice(1, -1).split(/\\+/).map(literally).join('\\\\+');

/** Patterns of the forms that a value can take in a log, a URL, a body or a dump. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const percent = encodeURIComponent(value);
  const hex = value.startsWith('0x')
    ? [value.slice(2), value.toLowerCase(), value.slice(2).toLowerCase(), value.slice(2).toUpperCase()]
    : [];
  return [
    escaped(value),
    ...[
      value,
      percent,
      percent.replace(/%../g, (escape) => escape.toLowerCase()),
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      ...hex,
    ].map(literally),
  ];
}

/** Secrets of this process, masked by value in all its output. */
export class Secrets {
  readonly #forms = new Set<string>();
  #pattern: RegExp | null = null;

  /** Masks `value` from now on, and returns it. */
  register(value: string): string {
    if (value.length < SECRET_MIN) return value;
    for (const form of formsOf(value)) this.#forms.add(form);
    const longestFirst = [...this.#forms].sort((a, b) => b.length - a.length);
    this.#pattern = new RegExp(longestFirst.join('|'), 'g');
    return value;
  }

  redact(text: string): string {
    return this.#pattern ? text.replace(this.#pattern, MASK) : text;
  }
}
