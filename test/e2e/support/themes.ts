export type Theme = 'dark' | 'light' | 'highContrast' | 'highContrastLight';

/** The value of `workbench.colorTheme`, and the class that the workbench wears then. */
export const themeNames: Readonly<Record<Theme, { readonly setting: string; readonly className: string }>> = {
  dark: { setting: 'Default Dark Modern', className: 'vs-dark' },
  light: { setting: 'Default Light Modern', className: 'vs' },
  highContrast: { setting: 'Default High Contrast', className: 'hc-black' },
  highContrastLight: { setting: 'Default High Contrast Light', className: 'hc-light' },
};
