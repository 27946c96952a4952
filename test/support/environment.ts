// Environment variables of the test process, for as long as a test needs them.

/** Sets environment variables (undefined removes) and returns what puts the old values back. */
export function setEnvironment(values: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.fromEntries(Object.keys(values).map((name) => [name, process.env[name]]));
  const apply = (set: Readonly<Record<string, string | undefined>>): void => {
    for (const [name, value] of Object.entries(set)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  };
  apply(values);
  return () => apply(before);
}
