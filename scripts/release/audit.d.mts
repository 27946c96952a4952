export function openAdvisories(options?: {
  readonly flags?: readonly string[];
  readonly explained?: Readonly<Record<string, string>>;
}): Promise<readonly string[] | undefined>;
