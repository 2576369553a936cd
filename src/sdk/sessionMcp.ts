import { systemClock } from '../base/abort.ts';
import { silentLog } from '../base/log.ts';
import { McpServers } from '../engine/mcp/mcpServers.ts';
import type { FileSystem } from '../engine/ports.ts';
import { lazyMcpConnector } from '../platform/mcp/lazyMcpConnector.ts';
import { nodeDigest } from '../platform/nodeDigest.ts';
import { nodeEnvironment } from '../platform/nodeEnvironment.ts';
import { createNodeGit } from '../platform/nodeGit.ts';
import type { RunningCommands } from '../platform/runningCommands.ts';
import type { EngineOptions } from './options.ts';
import { TURNSTONE_VERSION } from './version.ts';

interface SessionPlace {
  readonly files: FileSystem;
  /** Links resolved, as the roots. */
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly running: RunningCommands;
}

/** The MCP servers of a session. None is started yet. */
export function sessionMcp(options: EngineOptions, { files, cwd, roots, running }: SessionPlace): McpServers {
  const { mcp = {}, clock = systemClock, log = silentLog, trusted = true, askUser } = options;
  const variables = process.env;
  return new McpServers({
    ...nodeEnvironment(TURNSTONE_VERSION, options.dataRoot),
    files,
    git: createNodeGit(),
    digest: nodeDigest,
    cwd,
    roots,
    clock,
    log,
    trusted,
    askUser,
    given: { servers: mcp.servers ?? (() => ({})), source: mcp.source ?? 'the options' },
    variables: (name) => (name === 'workspaceFolder' ? cwd : variables[name]),
    connector: lazyMcpConnector({ version: TURNSTONE_VERSION, keepVariables: options.shellEnvironment?.keep ?? [], onStart: (command) => running.add(command) }),
    startTimeoutMs: mcp.startTimeoutMs ?? milliseconds(variables['MCP_TIMEOUT']) ?? 30_000,
    callTimeoutMs: mcp.callTimeoutMs ?? milliseconds(variables['MCP_TOOL_TIMEOUT']) ?? 600_000,
  });
}

/** Undefined for what is no number of milliseconds that a timer can count. */
function milliseconds(text: string | undefined): number | undefined {
  const value = Number(text);
  return value > 0 && value < 2 ** 31 ? value : undefined;
}
