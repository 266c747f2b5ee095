import { showLook, storedLook } from './browser.ts';

/** Runs before the first paint, so that stored settings apply without a flash. */
showLook('theme', storedLook('theme'));
showLook('gains', storedLook('gains'));
