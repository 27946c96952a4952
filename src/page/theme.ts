// The theme: that of the system, or the one that a person has chosen in this browser.
import { effect, signal } from '@preact/signals';

/** The choices. */
export const THEMES = ['system', 'light', 'dark'] as const;

const KEY = 'raymond-theme';

function known(name: string | null): (typeof THEMES)[number] {
  return THEMES.find((one) => one === name) ?? 'system';
}

/** The chosen one. */
export const theme = signal(known(localStorage.getItem(KEY)));

/** Chooses a theme. */
export function setTheme(name: string): void {
  theme.value = known(name);
  localStorage.setItem(KEY, theme.value);
}

const system = matchMedia('(prefers-color-scheme: dark)');

function apply(): void {
  const isDark = theme.value === 'dark' || (theme.value === 'system' && system.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

effect(apply);
system.addEventListener('change', apply);
