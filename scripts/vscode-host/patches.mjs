// Where code-server differs from the VS Code that people use, the difference is taken back: a test must see what a user would.
import fs from 'node:fs';
import path from 'node:path';

const workbench = 'out/vs/code/browser/workbench/workbench.js';

/** Applies all patches; throws when the one that matters most no longer fits. */
export function applyPatches(vscodeFolder) {
  restoreProposedApiGate(vscodeFolder);
  showNotifications(vscodeFolder);
  silenceProduct(vscodeFolder);
}

/** code-server allows every proposed API to everybody; one used by accident would work here and throw for users. */
function restoreProposedApiGate(vscodeFolder) {
  const gate = /function (\w+)\((\w+),(\w+)\)\{return!0\}(?=function \w+\(\w+,\w+\)\{if\(!\1\()/g;
  const files = [
    'out/vs/workbench/api/node/extensionHostProcess.js',
    'out/vs/workbench/api/worker/extensionHostWorkerMain.js',
    workbench,
    'out/server-main.js',
  ];
  for (const file of files) {
    let count = 0;
    rewrite(vscodeFolder, file, (text) => text.replace(gate, (_, name, extension, proposal) => {
      count += 1;
      return `function ${name}(${extension},${proposal}){return!!${extension}.enabledApiProposals?.some(x=>x.split("@")[0]===${proposal})}`;
    }));
    if (count !== 1) {
      throw new Error(`${file}: ${count} gates for proposed API found instead of 1; this version of code-server needs another patch.`);
    }
  }
}

/** The test driver is what makes the web client load an extension from a folder; since 1.139 it also hides notifications. */
function showNotifications(vscodeFolder) {
  const hidden = /(!this\.isNotificationsCenterVisible&&|if\()!this\.environmentService\.enableSmokeTestDriver&&/;
  rewrite(vscodeFolder, workbench, (text) => text.replace(hidden, '!this.isNotificationsCenterVisible&&'));
}

/** No gallery, no telemetry, no chat agent of its own. */
function silenceProduct(vscodeFolder) {
  rewrite(vscodeFolder, 'product.json', (text) => {
    const { defaultChatAgent, voiceWsUrl, extensionsGallery, ...product } = JSON.parse(text);
    for (const list of ['builtInExtensions', 'builtInExtensionsEnabledWithAutoUpdates', 'trustedExtensionAuthAccess']) {
      if (product[list]) {
        product[list] = [];
      }
    }
    return JSON.stringify({ ...product, enableTelemetry: false }, null, 1);
  });
}

function rewrite(vscodeFolder, file, change) {
  const full = path.join(vscodeFolder, file);
  fs.writeFileSync(full, change(fs.readFileSync(full, 'utf8')));
}
