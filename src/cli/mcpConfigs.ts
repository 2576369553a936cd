import { readFileSync } from 'node:fs';
import { TurnstoneError, errorText } from '../base/errors.ts';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import type { EngineOptions } from '../sdk/index.ts';

/** The servers of `--mcp-config`: files like a `.mcp.json`, or such JSON itself. Of one name the last counts. Throws `invalid_input` for what is neither. */
export function mcpConfigs(configs: readonly string[]): EngineOptions['mcp'] {
  if (configs.length === 0) return undefined;
  const servers = Object.assign({}, ...configs.map(serversOf)) as object;
  return { servers: () => servers, source: '--mcp-config' };
}

function serversOf(config: string): object {
  const value = tryParseJson(config.trimStart().startsWith('{') ? config : readText(config));
  const servers = isJsonObject(value) ? value['mcpServers'] : undefined;
  if (!isJsonObject(servers)) throw new TurnstoneError('invalid_input', `--mcp-config needs a file, or JSON, of the form {"mcpServers": {"name": {"command": "…"}}}. This is none: ${config}`);
  return servers;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new TurnstoneError('invalid_input', `The file of --mcp-config could not be read, so nothing was sent: ${errorText(thrown)}`, { cause: thrown });
  }
}
