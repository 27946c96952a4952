// Printing the JSON document of a command. Its shape is checked by the compiler here and by tests against the schema: at run time nobody
// waits for the library that checks.
import type { DocumentName, DocumentOf } from '../../client/documents/documents.js';
import type { Io } from '../io.js';

/** Prints the document of this command, in one line. */
export async function printDocument<Name extends DocumentName>(
  { print }: Pick<Io, 'print'>,
  _command: Name,
  document: DocumentOf<Name>,
): Promise<void> {
  await print(JSON.stringify(document));
}
