// Prints the JSON document of a command. The compiler and tests check its shape against the schema, so that the schema
// library is not loaded at run time.
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
