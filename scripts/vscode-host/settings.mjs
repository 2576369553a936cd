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
  'window.dialogStyle': 'custom',
  'window.restoreWindows': 'none',
  'workbench.editor.enablePreview': false,
  'workbench.reduceMotion': 'on',
};

/** Adds the quiet settings where the user has not chosen otherwise. */
export function writeQuietSettings(dataFolder) {
  writeSettings(dataFolder, { ...quiet, ...readSettings(dataFolder) });
}

/** Replaces the user settings: quiet, steady, and what this test wants. */
export function writeTestSettings(dataFolder, settings = {}) {
  writeSettings(dataFolder, { ...quiet, ...steady, ...settings });
}

// As on the desktop: <user-data-dir>/User/settings.json
const settingsFile = (dataFolder) => path.join(dataFolder, 'User', 'settings.json');

function readSettings(dataFolder) {
  try {
    return JSON.parse(fs.readFileSync(settingsFile(dataFolder), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') {
      return {};
    }
    throw new Error(`${settingsFile(dataFolder)} cannot be read: ${error.message}. Correct or remove it.`, { cause: error });
  }
}

function writeSettings(dataFolder, settings) {
  const file = settingsFile(dataFolder);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify(settings, null, 2));
}
