import type { Page } from 'playwright-core';

export interface PanelTheme {
  readonly bodyClass: string;
  readonly variables: Readonly<Record<string, string>>;
}
export type PanelFiles = ReadonlyMap<string, { readonly contentType: string; readonly body: string | Buffer }>;

export function findChromium(): string;
export function buildPanel(): Promise<PanelFiles>;
export function servePanel(page: Page, files: PanelFiles, theme: PanelTheme): Promise<void>;
