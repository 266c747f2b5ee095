import { signal } from '@preact/signals';

/** True on a screen that is as narrow as a telephone's. */
export const isNarrow = signal(false);
