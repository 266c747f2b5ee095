/** Count with its noun, in thousands: `1 trade`, `2,500 trades`, `3 entries`. @param plural where the noun takes more than an `s` */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
