// The tutorials, step by step as a reader does them: every step is an example in the folder that the steps before it have left.
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { runExample } from '../support/language-example.js';
import { readExamples } from '../support/language-page.js';

test.each(['1-first-workflow', '2-dispatcher'])(
  'the steps of docs/tutorials/%s.md do what the page says',
  async (name) => {
    const page = await readFile(new URL(`../../docs/tutorials/${name}.md`, import.meta.url), 'utf8');
    const place = await Place.at();
    const files = new Map<string, string>();
    for (const step of readExamples(page)) {
      for (const [path, text] of step.files) files.set(path, text);
      // Claude is distinguished by its prompts, which an earlier step may have written.
      const prompts = [...files].filter(([path]) =>
        [...step.answers.keys()].some((state) => path.endsWith(`/${state}.md`)),
      );
      const faults = await runExample({ ...step, title: name, files: new Map([...step.files, ...prompts]) }, place);
      expect({ step: step.title, faults }).toEqual({ step: step.title, faults: [] });
    }
  },
);
