export const VERSION: string;
export function versitygwPath(): string;
