import * as vscode from 'vscode';

/** The channel "Turnstone" in the Output view; also kept as a file by VS Code. It is a `Log` of the engine as it is. */
export function createLogChannel(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel('Turnstone', { log: true });
}
