import { showTheme, storedTheme } from './browser.ts';

/*
 * Run before anything is painted: a theme that was chosen replaces that of the system without a flash.
 */
showTheme(storedTheme());
