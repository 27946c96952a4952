// PLACEHOLDER
export function scriptEnvironment({ inherited, raymond, attributes }: { inherited: Readonly<Record<string, string>>; raymond: Readonly<Record<string, string>>; attributes: Readonly<Record<string, string>> }): Record<string, string> {
  return { ...inherited, ...attributes, ...raymond };
}
