/** The licences of the packages that a bundle holds, each below its name and version. `inputs`: paths that esbuild has read. */
export function licencesOf(inputs: readonly string[]): string;
/** Packages, as `name@version`, whose licences such a text has. */
export function packagesIn(licences: string): string[];
