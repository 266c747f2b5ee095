type Component = Readonly<{
  name: string;
  version: string;
  'bom-ref': string;
  properties?: readonly Readonly<{ name: string; value: string }>[];
}>;

export type CycloneDx = Readonly<{
  components: readonly Component[];
  dependencies: readonly Readonly<{ ref: string; dependsOn: readonly string[] }>[];
}>;

export type Spdx = Readonly<{
  packages: readonly Readonly<{ name: string; versionInfo: string; SPDXID: string }>[];
  relationships: readonly Readonly<{
    spdxElementId: string;
    relatedSpdxElement: string;
    relationshipType: string;
  }>[];
}>;

/**
 * A CycloneDX bill of some of its components, each as `name@version`. Those that are bundled are part of what is
 * released, although npm calls them development.
 */
export function cycloneDxOf<T extends CycloneDx>(bill: T, kept: ReadonlySet<string>): T;
/** The same of an SPDX bill. Its first package is what is released. */
export function spdxOf<T extends Spdx>(bill: T, kept: ReadonlySet<string>): T;
