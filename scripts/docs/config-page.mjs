// The page about the config, made of the JSON schema that editors check it by.
import { codeCell, textCell } from './markdown.mjs';

const TOP = `# Config

<!-- Written by \`npm run docs:reference\` from src/client/project/config-keys.ts. -->

This page lists every key of the config of a project. The config is in one or two TOML files in the project root:

- \`.raymond/config.toml\` is for this checkout. Git ignores the folder \`.raymond\`.
- \`raymond.toml\` is for everybody who uses the repository. Commit it.

The project root is the current folder if it contains \`.raymond\`, \`raymond.toml\` or \`.git\`, else the nearest folder
above that contains one of them. If there is no such folder, the current folder is the project root.

All keys are in the table \`[raymond]\`, and every key is optional. If both files set a key, the value in
\`.raymond/config.toml\` counts; tables and lists are not merged. A flag of a command overrides the config. An
invalid value is an error, and so is an unknown key that is spelt almost like a known one. Any other unknown key is a
warning.

\`raymond init --config-only\` writes \`.raymond/config.toml\` with every key as a comment. \`raymond config\` prints the value
of every key, and the file that the value comes from.

The [manifest](language/files.md#the-manifest) of a package is its file \`workflow.yaml\`. A package that is one YAML file has
the keys of the manifest beside \`states\`.

\`\`\`toml
[raymond]
budget = 5
model = "sonnet"
allowed_tools = ["Bash(npm test *)"]
\`\`\`

| Key | Value | Default | What it does |
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
