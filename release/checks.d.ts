type Manifest = Readonly<{
  name: string;
  version: string;
  dependencies?: Readonly<Record<string, string>>;
}>;

/** Everything that has to agree before a release. `deprecations`: versions until which old names stay. */
export type Release = Readonly<{
  manifest: Manifest;
  create: Manifest;
  lockVersion: string;
  sourceVersion: string;
  changelog: string;
  deprecations: readonly string[];
  /** Tags of this commit. */
  tags: readonly string[];
  /** Files with changes that are not committed. */
  changes: readonly string[];
}>;

/** What keeps a version from being released; empty when nothing does. */
export function problemsOf(release: Release): string[];

/** Text below the heading of a version in the changelog, and its date; null where there is no such heading. */
export function sectionOf(
  changelog: string,
  version: string,
): Readonly<{ date: string; body: string }> | null;
