import type { PanelTheme } from './panelPage.mjs';

export const themes: Readonly<Record<'dark' | 'light' | 'high-contrast', PanelTheme>>;
