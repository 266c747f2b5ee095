/** Instants from `from` up to, without, `to`, in epoch ms. */
export type Span = Readonly<{ from: number; to: number }>;

/** The same instants as few spans in order; those that touch become one. */
export function joinedSpans(spans: readonly Span[]): Span[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else if (from < to) joined.push({ from, to });
  }
  return joined;
}

/** What of a span none of the others holds. */
export function missingSpans({ from, to }: Span, held: readonly Span[]): Span[] {
  const missing: Span[] = [];
  let at = from;
  for (const span of joinedSpans(held)) {
    if (span.from > at) missing.push({ from: at, to: Math.min(span.from, to) });
    at = Math.max(at, span.to);
  }
  if (at < to) missing.push({ from: at, to });
  return missing.filter((span) => span.from < span.to);
}
