const THEMES = ['auto', 'light', 'dark'];

/** Lets a button go from the theme of the system to light, dark and back. */
export function onTheme(): void {
  const root = document.documentElement;
  const button = document.getElementById('theme');
  button?.addEventListener('click', () => {
    const place = THEMES.indexOf(root.dataset['theme'] ?? 'auto');
    const next = THEMES[(place + 1) % THEMES.length] ?? 'auto';
    if (next === 'auto') delete root.dataset['theme'];
    else root.dataset['theme'] = next;
    button.textContent = `Theme: ${next}`;
  });
}
