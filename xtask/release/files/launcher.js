#!/usr/bin/env node
// Starts the program from the package of this system.
'use strict';
const { spawn } = require('node:child_process');

const name = `PACKAGE-${process.platform}-${process.arch}`;

let program;
try {
  program = require.resolve(`${name}/verbatim`);
} catch {
  console.error(`verbatim: the package ${name} is not installed. Either there is none for this system, or npm was told to omit
optional dependencies: install it beside this one.`);
  process.exit(1);
}
// Newer versions of Node.js become the program: signals and exit status are its own.
if (process.execve) process.execve(program, [program, ...process.argv.slice(2)], process.env);

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`verbatim: ${program} can't be started: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
