/** How an MCP server is reached, as it was written down: variables are not filled in yet. */
export type McpServerConfig =
  | { readonly type: 'stdio'; readonly command: string; readonly args: readonly string[]; readonly env: { readonly [name: string]: string } }
  | { readonly type: 'http'; readonly url: string; readonly headers: { readonly [name: string]: string } };

/** By name. */
export type McpServerConfigs = { readonly [name: string]: McpServerConfig };

/** The published SDK's words, and one of our own: the user has not said yet whether this project's server may run. */
export type McpServerStatus = 'connected' | 'pending' | 'failed' | 'needs-auth' | 'disabled' | 'needs-approval';

/** A tool as its server describes it. */
export interface McpToolInfo {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  /** JSON Schema, whatever the server takes for one. */
  readonly inputSchema: unknown;
  /** The server says that it changes nothing. Nobody has to believe it. */
  readonly isReadOnly: boolean;
}

/** A piece of a result. `data` is base64. */
export type McpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'media'; readonly mediaType: string; readonly data: string; readonly name: string }
  | { readonly type: 'link'; readonly uri: string; readonly name: string; readonly description?: string | undefined };

export interface McpResult {
  readonly content: readonly McpContent[];
  /** Beside the content, for programs. */
  readonly structured?: unknown;
  readonly isError: boolean;
}
