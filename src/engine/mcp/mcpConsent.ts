import { TurnstoneError } from '../../base/errors.ts';
import { isJsonObject, tryParseJson } from '../../base/json.ts';
import { resolvePath } from '../../base/paths.ts';
import type { Digest, FileSystem } from '../ports.ts';
import type { ConfiguredServer, ProjectChoices } from './mcpSources.ts';

export type ConsentAnswer = 'yes' | 'no';

interface ConsentParts {
  readonly files: Pick<FileSystem, 'readFile' | 'stat' | 'writeFile'>;
  readonly digest: Digest;
  readonly dataRoot: string;
  readonly cwd: string;
}

/**
 * What the user said about servers, folder by folder (`<data root>/mcp-consent.json`). A yes counts for what was shown:
 * a server whose command or address has changed since is asked about again.
 */
export class McpConsent {
  readonly #parts: ConsentParts;
  readonly #path: string;
  #said: { readonly [name: string]: unknown } = {};

  constructor(parts: ConsentParts) {
    this.#parts = parts;
    this.#path = resolvePath(parts.dataRoot, 'mcp-consent.json');
  }

  /** Another window may have asked. */
  async refresh(): Promise<void> {
    const all = await this.#read().catch(() => ({}));
    const here = (all as { readonly [folder: string]: unknown })[this.#parts.cwd];
    this.#said = isJsonObject(here) ? here : {};
  }

  /** Whether a server may run; undefined: the user has to be asked. */
  allows(server: ConfiguredServer, { enabled, disabled, enableAll }: ProjectChoices): boolean | undefined {
    const said = this.#said[server.name];
    const { answer, config } = isJsonObject(said) ? said : {};
    if (answer === 'no') return false;
    if (server.project === undefined) return true;
    if (disabled.has(server.name)) return false;
    const isEnabled = server.project === 'mcpJson' && (enableAll || enabled.has(server.name));
    return isEnabled || (answer === 'yes' && config === this.#hash(server)) ? true : undefined;
  }

  /** Rejects with `configuration` where it can't be kept; then it does not count. */
  async record(server: ConfiguredServer, answer: ConsentAnswer): Promise<void> {
    const { files, cwd } = this.#parts;
    const all = await this.#read();
    const here = isJsonObject(all[cwd]) ? all[cwd] : {};
    const said = { ...here, [server.name]: { answer, config: this.#hash(server) } };
    await files.writeFile(this.#path, new TextEncoder().encode(`${JSON.stringify({ ...all, [cwd]: said }, undefined, 2)}\n`), { mode: 0o600 });
    this.#said = said;
  }

  async #read(): Promise<{ readonly [folder: string]: unknown }> {
    if (!(await this.#parts.files.stat(this.#path))) return {};
    const value = tryParseJson(new TextDecoder().decode(await this.#parts.files.readFile(this.#path)));
    if (isJsonObject(value)) return value;
    throw new TurnstoneError('configuration', `${this.#path} is not valid JSON, so nothing was added to it. Repair it, or delete it: then the servers of projects are asked about anew.`);
  }

  #hash({ config }: ConfiguredServer): string {
    return this.#parts.digest.sha256(new TextEncoder().encode(JSON.stringify(config)));
  }
}
