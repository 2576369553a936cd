/** What VS Code gives to a webview. */
export interface VsCodeApi {
  postMessage(message: unknown): void;
}
