import { computed, signal } from '@preact/signals';
import { onHash, readHash } from './browser.ts';
import { placeOf } from './place.ts';

const hash = signal(readHash());
onHash(() => (hash.value = readHash()));

/** Place that is shown. */
export const place = computed(() => placeOf(hash.value));
