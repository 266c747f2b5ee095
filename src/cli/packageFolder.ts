import { fileURLToPath } from 'node:url';

/** Where package.json lies. This file is two folders below it as source, as a module and as part of the program alike. */
export const PACKAGE_FOLDER = fileURLToPath(new URL('../..', import.meta.url));
