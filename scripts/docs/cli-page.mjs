// The pages about the command line, made of the program itself: every command that its help shows, with its flags and examples.
import { anchorOf, codeCell, textCell } from './markdown.mjs';

const WRITTEN = '<!-- Written by `npm run docs:reference` from src/cli/program. -->';

const TOP = `# Command line

${WRITTEN}

These pages list every command with its arguments and flags. \`raymond COMMAND --help\` prints the same for one command.
\`raymond help TOPIC\` explains a topic: \`exit-codes\` (also [on a page](exit-codes.md)), \`run-names\` or \`environment\`.
[JSON](json.md) describes what \`--json\` prints.

\`raymond WORKFLOW\` is short for \`raymond start WORKFLOW\`. Where a command takes a run, give the id of the run, a unique
prefix of the id, or \`@last\` for the run that was started last.
`;

const CONNECTION = 'Connection:';

const DEFAULTS =
  'Flags override the [config](../config.md). A default in the tables applies if neither a flag nor the config sets a value.';

const RUNS =
  '`<run>` is the id of a run, a unique prefix of the id, or `@last` for the run that was started last. `<agent>` is the id of an agent, such as `main`.';

const MANIFEST =
  'The [manifest](../language/files.md#the-manifest) of a package is its file `workflow.yaml`. A package that is one YAML file has the keys of the manifest beside `states`.';

/** The pages about a program of Commander, by their paths in docs/reference: an index, and a page for each group of its help. */
export function cliPages(program) {
  const groups = groupsOf(program).map(([heading, commands]) => {
    const title = heading.replace(':', '');
    return { title, path: `cli/${title.toLowerCase().replaceAll(' ', '-')}.md`, commands };
  });
  const lists = groups.map(({ title, path, commands }) => `## ${title}\n\n${listOf(commands, { program, path })}\n`);
  return {
    'cli.md': [TOP, ...lists, connectionSection(program)].join('\n'),
    ...Object.fromEntries(groups.map(({ title, path, commands }) => [path, groupPage({ title, commands, program })])),
  };
}

function listOf(commands, { program, path }) {
  const rows = commands.map((command) => {
    const name = `${program.name()} ${command.name()}`;
    return `| [\`${name}\`](${path}#${anchorOf(name)}) | ${textCell(sentence(command.description()))} |`;
  });
  return ['| Command | What it does |', '| --- | --- |', ...rows].join('\n');
}

function groupPage({ title, commands, program }) {
  const names = commands.map((command) => `\`${command.name()}\``);
  const about = `This page lists the arguments and flags of these commands: ${names.join(', ')}. ${DEFAULTS}`;
  const runs = commands.some(takesRun) ? `\n\n${RUNS}` : '';
  const sections = commands.flatMap((command) => commandSections(command, program.name())).join('\n');
  const manifest = sections.includes('manifest') ? `\n\n${MANIFEST}` : '';
  return `# Command line: ${title}\n\n${WRITTEN}\n\n${about}${runs}${manifest}\n\n${sections}`;
}

function takesRun({ registeredArguments, commands }) {
  return registeredArguments.some((argument) => argument.name() === 'run') || commands.some(takesRun);
}

/** The visible commands of the program under the headings of its help. */
function groupsOf(program) {
  const help = program.createHelp();
  return [...help.groupItems(program.commands, help.visibleCommands(program), (command) => command.helpGroup())];
}

function commandSections(command, above) {
  const name = `${above} ${command.name()}`;
  const below = command.commands;
  const [alias] = command.aliases();
  const short = alias === undefined ? '' : ` Alias: \`${above} ${alias}\`.`;
  const usage = below.length > 0 ? '' : `\n\n\`${name} ${command.usage()}\`${short}`;
  const own = `## \`${name}\`\n\n${sentence(command.description())}${usage}\n${flagTables(command)}${examplesOf(command)}`;
  return [own, ...below.flatMap((one) => commandSections(one, name))];
}

/** Commander puts a description on a line of its own, without capital and full stop. */
function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** Flags in the groups of the help. Those of the connection are the same everywhere and stand once, at the end. */
function flagTables(command) {
  const groups = flagGroupsOf(command).filter(([heading]) => heading !== CONNECTION);
  const tables = groups.map(([heading, flags]) => `\n${heading === 'Options:' ? '' : `${heading}\n\n`}${table(flags)}`);
  const isConnected = flagGroupsOf(command).length > groups.length;
  return [
    ...tables,
    ...(isConnected ? ['\nThe command also takes the [connection flags](../cli.md#connection-flags).\n'] : []),
  ].join('');
}

function flagGroupsOf(command) {
  const help = command.createHelp();
  const flags = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  return [...help.groupItems(command.options, flags, (flag) => flag.helpGroupHeading ?? 'Options:')];
}

function table(flags) {
  const rows = flags.map((flag) => `| ${codeCell(flag.flags)} | ${textCell(textOf(flag))} |`);
  return ['| Flag | What it does |', '| --- | --- |', ...rows, ''].join('\n');
}

function textOf({ description, argChoices, mandatory }) {
  const choices = argChoices === undefined ? '' : ` (one of ${argChoices.join(', ')})`;
  return `${description}${choices}${mandatory ? ' (required)' : ''}`;
}

/** What Commander prints behind the help of a command. */
function examplesOf(command) {
  let text = '';
  command.emit('afterHelp', { error: false, command, write: (part) => (text += part) });
  const lines = text.replace(/^\s*Examples:\n/, '').trimEnd();
  return lines === '' ? '' : `\n\`\`\`bash\n${lines.replace(/^ {2}/gm, '')}\n\`\`\`\n`;
}

function connectionSection(program) {
  const tables = program.commands.flatMap((command) =>
    flagGroupsOf(command).flatMap(([heading, flags]) => (heading === CONNECTION ? [table(flags)] : [])),
  );
  if (new Set(tables).size !== 1)
    throw new Error('the connection flags differ from command to command: show them in each');
  return `## Connection flags\n\nThese flags name the Temporal cluster that a command uses. Without them, the command uses the cluster that [the environment,
a profile or the config](../how-to/cluster.md#connect) names. If none of them names a cluster, the command uses the embedded server of the project.\n\n${tables[0]}`;
}
