export function notesIn(root: string): readonly string[];
export function applyNotes(root: string, today: string): string;
