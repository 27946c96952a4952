// Finds scripts that run or source another script of their package as if it were in the working directory.
import { literalPattern } from '../../../protocol/text.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import { plainText, scriptsOf, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** A script of the package that another one runs by a relative path. */
export function* helpersBeside(analysis: Analysis): Generator<FindingDetails> {
  const { files } = analysis.graph.source;
  const helpers = [...(analysis.onlyBeside ?? [])].filter(
    (file) => files.get(file)?.kind === 'script' && !file.includes('/'),
  );
  if (helpers.length === 0) return;
  const all = statesOf(analysis).map((state) => plainText(state));
  for (const state of scriptsOf(analysis)) {
    const text = plainText(state);
    if (CHANGES_FOLDER.test(text)) continue;
    for (const file of helpers) {
      const name = literalPattern(file);
      const isBash = executorOf(state.file) === 'bash';
      const use = (isBash ? byShell(name) : byProgram(name)).exec(text);
      // Some state may write it, or copy it to the working directory.
      const isMade = new RegExp(`(?:>|\\b(?:cp|mv|ln|tee|install|curl|wget|write\\w*)\\b)[^\\n]*${name}`);
      if (use === null || all.some((one) => isMade.test(one))) continue;
      yield {
        at: state.source.raw.at(use.index + (use[1] ?? '').length),
        state: state.file,
        message: `${file} is in the folder of the states, but the script looks for it in the working directory`,
        fix: isBash ? `write "$RAYMOND_STATE_DIR/${file}"` : 'take it from the folder that RAYMOND_STATE_DIR names',
      };
    }
  }
}

const CHANGES_FOLDER = /\b(?:cd|pushd|chdir|cwd)\b/;

/** `. ./lib.sh`, `bash helper.sh`, `./helper.sh`. */
function byShell(name: string): RegExp {
  const begin = String.raw`((?:^|[;&|({!]|\b(?:then|do|else|if|while|exec)\b)[ \t]*)`;
  const program = String.raw`(?:(?:\.|source|bash|sh|python3?|node|exec)[ \t]+(?:-\w+[ \t]+)?["']?(?:\./)?|["']?\./)`;
  return new RegExp(`${begin}${program}${name}(?![\\w.-])`, 'm');
}

/** `subprocess.run(["bash", "helper.sh"])`, `execSync('./helper.sh')`. */
function byProgram(name: string): RegExp {
  return new RegExp(
    `\\b(?:subprocess\\.\\w+|os\\.system|execSync|execFileSync|spawnSync|execFile|spawn|exec)\\([^\\n]*(?<!\\bjoin\\([^\\n]{1,120})(?<!/ )["' ](?:\\./)?${name}(?=["' ])`,
  );
}
