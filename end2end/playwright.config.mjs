// The system's Chromium, without a download: `cargo xtask test` finds or installs it and names it in CHROMIUM.
import { defineConfig } from '@playwright/test';

// What comes while a page is open, on PostgreSQL too, whose bell rings otherwise: `cargo xtask pg` says where one is. What is
// stored on either is the same by the store's own tests.
const LIVE = /(live|streaming|servers)\.spec\.mjs$/;
// Puts back the files of a database.
const IN_FILES = /database as it is when that was put back/;
const SERVERS = /servers\.spec\.mjs$/;

export default defineConfig({
  projects: [
    { name: 'sqlite', testIgnore: SERVERS },
    { name: 'postgres', testMatch: LIVE, grepInvert: IN_FILES, use: { engine: 'postgres' } },
  ].filter(({ name }) => name === 'sqlite' || process.env.VERBATIM_TEST_POSTGRES),
  testDir: 'tests',
  outputDir: 'test-results',
  reporter: 'list',
  forbidOnly: true,
  // One more than the processors that it is made for: each of them waits now and then.
  workers: 3,
  fullyParallel: true,
  // Upper bounds for a busy machine of two cores; nothing waits for them when all is well.
  timeout: 240_000,
  expect: { timeout: 40_000 },
  use: {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
