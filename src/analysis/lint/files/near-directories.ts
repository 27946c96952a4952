// Finds a cd to a directory whose name is nearly that of a directory which the script of the tag makes.
import { nearest } from '../../../protocol/text.js';
import { plainText, scriptsOf, statesOf, wholeName } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** `mkdir -p "archive/$year"` and then `cd="archives/$year"`. */
export function* nearDirectories(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file, mentions } of scriptsOf(analysis)) {
    const made = source.script.commands
      .filter(({ name }) => name === 'mkdir')
      .flatMap(({ args }) => args.map(({ text }) => text.replace(/\/$/, '')))
      .filter((path) => !path.startsWith('-'));
    for (const mention of mentions) {
      const cd = mention.attributes.get('cd');
      const path = cd?.value.replace(/\/$/, '') ?? '';
      const near = made.find((one) => isNear(one, path));
      if (cd === undefined || near === undefined || made.includes(path) || isNamed(analysis, { file, path, near }))
        continue;
      yield {
        at: cd.at,
        state: file,
        mention,
        message: `the script makes ${near.replaceAll('\uE000', '…')}, not this directory`,
        fix: 'write the same name in cd',
      };
    }
  }
}

/** True for two paths that differ in one part, a little. */
function isNear(one: string, other: string): boolean {
  const [parts, others] = [one.split('/'), other.split('/')];
  const unlike = parts.flatMap((part, index) => (part === others[index] ? [] : [index]));
  const [index = -1, more] = unlike;
  const [part = '', meant = ''] = [others[index], parts[index]];
  if (parts.length !== others.length || index < 0 || more !== undefined) return false;
  if (/[\d\uE000]/.test(part + meant) || part.length <= 3) return false;
  // Two words that begin in the same way, such as handbook and handbuch.
  const isLike = part.slice(0, 4) === meant.slice(0, 4) && part.length === meant.length && part.length > 6;
  return isLike || nearest(part, [meant]) !== undefined;
}

/** True if the package names the directory in another place. */
function isNamed(
  analysis: Analysis,
  { file, path, near }: { readonly file: string; readonly path: string; readonly near: string },
): boolean {
  const part = path.split('/').find((one, index) => one !== near.split('/')[index]) ?? path;
  return statesOf(analysis).some((state) => {
    const text = plainText(state).replace(/^[ \t]*rm[ \t].*$/gm, '');
    const count = text.split(wholeName(part)).length - 1;
    return count > (state.file === file ? 1 : 0);
  });
}
