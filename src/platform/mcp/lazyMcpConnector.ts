import type { McpConnector } from '../../engine/ports.ts';
import type { McpConnectorOptions } from './mcpConnector.ts';

/** Loads what connecting needs with the first server: most sessions have none. */
export function lazyMcpConnector(options: McpConnectorOptions): McpConnector {
  let loading: Promise<McpConnector> | undefined;
  return {
    async connect(server, connectOptions) {
      loading ??= import('./mcpConnector.ts').then(({ createMcpConnector }) => createMcpConnector(options));
      return (await loading).connect(server, connectOptions);
    },
  };
}
