const DEVELOPMENT = 'cdx:npm:package:development';

export function cycloneDxOf(bill, kept) {
  const components = bill.components
    .filter(({ name, version }) => kept.has(`${name}@${version}`))
    .map((each) => ({
      ...each,
      properties: each.properties?.filter(({ name }) => name !== DEVELOPMENT) ?? [],
    }));
  const refs = new Set(components.map((each) => each['bom-ref']));
  const dependencies = bill.dependencies
    .filter(({ ref }, index) => index === 0 || refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }));
  return { ...bill, components, dependencies };
}

export function spdxOf(bill, kept) {
  const packages = bill.packages.filter(
    ({ name, versionInfo }, index) => index === 0 || kept.has(`${name}@${versionInfo}`),
  );
  const ids = new Set(['SPDXRef-DOCUMENT', ...packages.map(({ SPDXID }) => SPDXID)]);
  const relationships = bill.relationships
    .filter(({ spdxElementId, relatedSpdxElement }) => ids.has(spdxElementId) && ids.has(relatedSpdxElement))
    .map((each) =>
      each.relationshipType === 'DEV_DEPENDENCY_OF' ? { ...each, relationshipType: 'DEPENDENCY_OF' } : each,
    );
  return { ...bill, packages, relationships };
}
