// What tests written in TypeScript use of the host; index.d.mts says the types.
export { defaultViewport, launchBrowser } from './browser.mjs';
export { ensureHost } from './install.mjs';
export { linkExtension } from './linkExtension.mjs';
export { startServer } from './server.mjs';
export { writeTestSettings } from './settings.mjs';
export { workbenchUrl } from './workbenchUrl.mjs';
export { copySample } from '../lib/sampleWorkspace.mjs';
export { inProject, projectRoot } from '../lib/project.mjs';
export { projectEnvironment } from '../lib/runCommand.mjs';
