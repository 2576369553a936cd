// Native modules without a prebuilt binary on npm, replaced by a few lines of JavaScript so that nothing is compiled.
// They are imported by ES modules, which see only names that are assigned to `exports` one by one.
import fs from 'node:fs';
import path from 'node:path';

const logger = `
const fs = require('fs'), path = require('path');
const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
class Logger {
  constructor(type, name, file) { this.file = file; this.level = 2; this.plain = false; }
  write(level, message) {
    if (level < this.level) return;
    const stamp = new Date().toISOString().replace('T', ' ').replace('Z', '');
    const line = this.plain ? message : stamp + ' [' + levels[level] + '] ' + message + '\\n';
    try { fs.appendFileSync(this.file, line); } catch {}
  }
  trace(m) { this.write(0, m); } debug(m) { this.write(1, m); } info(m) { this.write(2, m); }
  warn(m) { this.write(3, m); } error(m) { this.write(4, m); } critical(m) { this.write(5, m); }
  getLevel() { return this.level; } setLevel(level) { this.level = level; }
  setPattern() {} clearFormatters() { this.plain = true; } flush() {} drop() {}
}
const create = async (name, file) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.appendFileSync(file, '');
  return new Logger('rotating', name, file);
};
exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
`;

// Ends the extension host when the server is gone.
const watchdog = `
exports.start = (pid) => { setInterval(() => { try { process.kill(pid, 0); } catch { process.exit(87); } }, 1000).unref(); };
`;

// The git extension copies files with it.
const copyFile = `
const fs = require('fs');
exports.copyFile = fs.promises.copyFile;
exports.copyFileSync = fs.copyFileSync;
exports.isCloneSupported = () => false;
exports.constants = fs.constants;
exports.cp = fs.promises.cp;
`;

const stubs = {
  '@vscode/spdlog': logger,
  '@vscode/native-watchdog': watchdog,
  'native-watchdog': watchdog,
  '@vscode/fs-copyfile': copyFile,
};

/** Puts a stub where `dependencies` asks for a native module that is not there. */
export function addStubs(vscodeFolder, dependencies) {
  for (const [name, code] of Object.entries(stubs)) {
    const folder = path.join(vscodeFolder, 'node_modules', name);
    if (!dependencies[name] || fs.existsSync(path.join(folder, 'package.json'))) {
      continue;
    }
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name, version: '0.0.0-stub', main: 'index.js' }));
    fs.writeFileSync(path.join(folder, 'index.js'), code);
  }
}
