/** Caches the `max` most recently used results of `make`. Object keys are compared by identity. */
export function keepRecent<K, T>(max: number, make: (key: K) => T): (key: K) => T {
  const kept = new Map<K, T>();
  let last: { key: K; value: T } | undefined;
  return (key) => {
    if (last?.key === key) return last.value;
    const value = kept.get(key) ?? make(key);
    kept.delete(key);
    kept.set(key, value);
    if (kept.size > max) {
      const [oldest = key] = kept.keys();
      kept.delete(oldest);
    }
    last = { key, value };
    return value;
  };
}
