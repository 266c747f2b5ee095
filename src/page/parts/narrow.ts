import { signal } from '@preact/signals';
import { onNarrow } from '../browser.ts';

/** True on a screen that is as narrow as a telephone's. */
export const isNarrow = signal(false);
onNarrow((value) => (isNarrow.value = value));
