// What the tests use of Node, named here so that nothing has to be installed.
declare module 'node:assert/strict';
declare module 'node:test';
