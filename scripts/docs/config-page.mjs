// The page about the config, made of the JSON schema that editors check it by.
import { codeCell, textCell } from './markdown.mjs';

const TOP = `# Config

<!-- Written by \`npm run docs:reference\` from src/client/project/config-keys.ts. -->

This page lists every key of the config of a project. The config is the table \`[raymond]\` of a TOML file. Raymond looks
for it in the current folder and those above it, up to the root of the git repository. There are two places:

- \`.raymond/config.toml\` is for this checkout. Git ignores the folder \`.raymond\`.
- \`raymond.toml\` at the project root is for everybody who uses the repository. Commit it.

Raymond reads both; if both set a key, \`.raymond/config.toml\` wins. Tables and lists are replaced, not merged. Every key
is optional, and a flag wins over it. An invalid value, or an unknown key that resembles a known one, is an error with
file and line; other unknown keys are warnings.

\`raymond init --config-only\` writes \`.raymond/config.toml\` with every key as a comment. \`raymond config\` prints the values in
effect, and the file that each comes from.

\`\`\`toml
[raymond]
budget = 5
model = "sonnet"
allowed_tools = ["Bash(npm test *)"]
\`\`\`

| Key | Takes | Default | What it does |
| --- | --- | --- | --- |
`;

/** The page about config.schema.json. */
export function configPage(schema) {
  const rows = Object.entries(schema.properties.raymond.properties).map(([name, key]) => {
    const byDefault = key.default === undefined ? '' : codeCell(toml(key.default));
    return `| ${codeCell(name)} | ${takes(key)} | ${byDefault} | ${textCell(key.description)} |`;
  });
  return `${TOP}${rows.join('\n')}\n`;
}

const TYPES = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'a table',
};

function takes({ type, enum: words, examples, anyOf }) {
  if (anyOf !== undefined) return anyOf.map(takes).join(', or ');
  if (words !== undefined) return words.map((word) => codeCell(toml(word))).join(', ');
  const example = type === 'boolean' || examples === undefined ? '' : `, such as ${codeCell(toml(examples[0]))}`;
  return `${TYPES[type]}${example}`;
}

/** As TOML writes it on one line. */
function toml(value) {
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)} = ${toml(item)}`)
    .join(', ')} }`;
}
