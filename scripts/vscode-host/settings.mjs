import fs from 'node:fs';
import path from 'node:path';

/** What keeps a fresh VS Code from talking to a network or putting itself in the foreground. */
const quiet = {
  'chat.disableAIFeatures': true,
  'chat.agentHost.enabled': false,
  'chat.commandCenter.enabled': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  // The web client saves by itself, the desktop does not: unsaved text has to behave as on the desktop.
  'files.autoSave': 'off',
  'git.openRepositoryInParentFolders': 'never',
  'remote.autoForwardPorts': false,
  'telemetry.telemetryLevel': 'off',
  'typescript.disableAutomaticTypeAcquisition': true,
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'workbench.accounts.experimental.showEntitlements': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
};

/** What makes a workbench steady enough for tests. */
const steady = {
  'editor.accessibilitySupport': 'off',
  'files.simpleDialog.enable': true,
  'git.autoRepositoryDetection': false,
  'security.workspace.trust.enabled': false,
  'terminal.integrated.gpuAcceleration': 'off',
  // The theme is the one that is set, whatever the machine prefers.
  'window.autoDetectColorScheme': false,
  'window.autoDetectHighContrast': false,
  'window.dialogStyle': 'custom',
  'window.restoreWindows': 'none',
  'workbench.editor.enablePreview': false,
  'workbench.reduceMotion': 'on',
};

/** Adds the quiet settings where the user has not chosen otherwise. */
export function writeQuietSettings(dataFolder) {
  const file = userFile(dataFolder);
  writeSettings(file, { ...quiet, ...readSettings(file) });
}

/** Replaces all settings: quiet, steady, and what this test wants. */
export function writeTestSettings(dataFolder, settings = {}) {
  // In the browser VS Code counts as remote: settings of the scope "machine", as the extension has some, are read from
  // the machine's file only, which is the one that "Preferences: Open Remote Settings" shows.
  const ofExtension = Object.entries(settings).filter(([name]) => name.startsWith('turnstone.'));
  const others = Object.entries(settings).filter(([name]) => !name.startsWith('turnstone.'));
  writeSettings(userFile(dataFolder), { ...quiet, ...steady, ...Object.fromEntries(others) });
  writeSettings(machineFile(dataFolder), Object.fromEntries(ofExtension));
}

// As on the desktop: <user-data-dir>/User/settings.json
const userFile = (dataFolder) => path.join(dataFolder, 'User', 'settings.json');
const machineFile = (dataFolder) => path.join(dataFolder, 'Machine', 'settings.json');

function readSettings(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') {
      return {};
    }
    throw new Error(`${file} cannot be read: ${error.message}. Correct or remove it.`, { cause: error });
  }
}

function writeSettings(file, settings) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify(settings, null, 2));
}
