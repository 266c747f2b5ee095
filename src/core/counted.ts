/** Count with its noun and thousands separators: `2,500 trades`, `3 entries`. @param plural if not the noun plus `s` */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
