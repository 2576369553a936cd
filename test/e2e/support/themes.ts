import fs from 'node:fs';
import path from 'node:path';

export type Theme = 'dark' | 'light' | 'highContrast' | 'highContrastLight';

const themes: Readonly<Record<Theme, { readonly file: string; readonly className: string }>> = {
  dark: { file: 'dark_modern.json', className: 'vs-dark' },
  light: { file: 'light_modern.json', className: 'vs' },
  highContrast: { file: 'hc_black.json', className: 'hc-black' },
  highContrastLight: { file: 'hc_light.json', className: 'hc-light' },
};

/** The class that the workbench wears with this theme. */
export function themeClass(theme: Theme): string {
  return themes[theme].className;
}

/**
 * The theme's value for `workbench.colorTheme` in this host. The names have changed between versions, and VS Code
 * corrects an old one in settings.json by itself, which would undo what a test writes there at the same moment.
 */
export function themeName(vscodeFolder: string, theme: Theme): string {
  const file = path.join(vscodeFolder, 'extensions', 'theme-defaults', 'package.json');
  const { contributes } = JSON.parse(fs.readFileSync(file, 'utf8')) as { contributes: { themes: { id: string; path: string }[] } };
  const found = contributes.themes.find((candidate) => path.basename(candidate.path) === themes[theme].file);
  if (!found) {
    throw new Error(`This VS Code has no theme ${themes[theme].file}.`);
  }
  return found.id;
}
