import type { Browser } from 'playwright-core';

export interface Host {
  readonly version: string;
  readonly node: string;
  readonly vscodeFolder: string;
  readonly serverMain: string;
}

export interface HostServer {
  /** Carries the secret token. */
  readonly url: URL;
  readonly pid: number;
  readonly exited: Promise<void>;
  /** The newest 100,000 characters of the server's own output. */
  output(): string;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly host: Host;
  readonly dataFolder: string;
  readonly extensionsFolder?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly port?: number;
  readonly trust?: boolean;
}

export const projectRoot: string;
export const defaultViewport: { readonly width: number; readonly height: number };
export function inProject(...parts: string[]): string;
export function ensureHost(version?: string): Host;
export function linkExtension(extension: string, folder: string): string;
export function startServer(options: ServerOptions): Promise<HostServer>;
export function launchBrowser(): Promise<Browser>;
export function workbenchUrl(serverUrl: URL, options: { workspace?: string; extension?: string; tests?: string }): string;
export function writeTestSettings(dataFolder: string, settings?: Readonly<Record<string, unknown>>): void;
export function copySample(parent: string): string;
export function projectEnvironment(extra?: Readonly<Record<string, string | undefined>>): Record<string, string | undefined>;
