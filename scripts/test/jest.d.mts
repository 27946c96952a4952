/** How a file of tests ended. */
export interface FileResult {
  readonly name: string;
  readonly status: 'passed' | 'failed';
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}

export function runJest(options: {
  readonly root: string;
  readonly args: readonly string[];
  readonly silentMs?: number;
  /** Of Jest; absent = that of this process. */
  readonly stdio?: 'ignore';
}): Promise<{ readonly files: readonly FileResult[]; readonly failed: number }>;
