import { showLook, storedLook } from './browser.ts';

/*
 * Run before anything is painted: looks that were chosen replace the usual ones without a flash.
 */
showLook('theme', storedLook('theme'));
showLook('gains', storedLook('gains'));
