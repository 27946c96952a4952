/** The page about config.schema.json. */
export function configPage(schema: object): string;
