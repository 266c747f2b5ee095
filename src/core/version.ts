/** Of the engine, as the package has it: part of what a result depends on. */
export const VERSION = '0.6.0';
