// The agents that `drive.mjs` drives: how each one is installed, set up against the scripted model, and what it can't do.
//
// An agent is installed in `AGENTS/FOLDER`; `environment` and `files` (below the home folder) keep it from anything but the model. `cannot`
// names the steps that it has no way to do. `asksByForm` is the word of the option that is chosen in the form by which it asks its questions.
// `asksNothing` is a mode in which it edits files without asking. One that `resumesAfterMinute` loses a session that is resumed in the minute in
// which it began.
import { join } from 'node:path';

const claude = (home, url) => ({
  CLAUDE_CONFIG_DIR: join(home, '.claude'),
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  IS_SANDBOX: '1',
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'scripted',
});

const codex = (url) => ({
  '.codex/config.toml': `model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "Scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[analytics]
enabled = false
`,
});

const json = (value) => JSON.stringify(value);

export const programs = {
  claude: {
    folder: 'claude',
    environment: claude,
    asksNothing: 'acceptEdits',
    keepsNotices: false,
  },
  codex: {
    folder: 'codex',
    environment: (home) => ({ CODEX_HOME: join(home, '.codex'), SCRIPTED_KEY: 'scripted' }),
    files: codex,
    mode: 'read-only',
    asksNothing: 'full-access',
    keepsNotices: true,
    cannot: ['ask'],
  },
  gemini: {
    folder: 'gemini',
    environment: (home, url) => ({ GEMINI_API_KEY: 'scripted', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
    files: () => ({
      '.gemini/settings.json': json({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        // Else it deletes a session that was resumed when it starts the next time.
        general: { disableAutoUpdate: true, sessionRetention: { enabled: false } },
      }),
    }),
    asksNothing: 'autoEdit',
    resumesAfterMinute: true,
    keepsNotices: true,
    cannot: ['ask', 'steer'],
  },
  opencode: {
    folder: 'opencode',
    environment: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    files: (url) => ({
      '.config/opencode/opencode.json': json({
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
        autoupdate: false,
        share: 'disabled',
        permission: { edit: 'ask', bash: 'ask' },
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Scripted',
            options: { baseURL: `${url}/v1`, apiKey: 'scripted' },
            models: {
              scripted: {
                name: 'Scripted',
                attachment: true,
                modalities: { input: ['text', 'image'], output: ['text'] },
                limit: { context: 100_000, output: 8_000 },
              },
            },
          },
        },
      }),
    }),
    keepsNotices: true,
    cannot: ['ask', 'steer'],
  },
  qwen: {
    folder: 'qwen',
    // By the name of this model it knows that it takes pictures.
    environment: (home, url) => ({ OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'coder-model' }),
    files: () => ({
      '.qwen/settings.json': json({ security: { auth: { selectedType: 'openai' } }, privacy: { usageStatisticsEnabled: false } }),
    }),
    asksNothing: 'auto-edit',
    keepsNotices: true,
    cannot: ['ask', 'steer'],
  },
  'claude-acp': {
    folder: 'acp',
    environment: claude,
    asksNothing: 'acceptEdits',
    keepsNotices: true,
    asksByForm: 'Blue',
  },
  'codex-acp': {
    folder: 'acp',
    environment: (home) => ({ CODEX_HOME: join(home, '.codex'), SCRIPTED_KEY: 'scripted' }),
    files: codex,
    asksNothing: 'agent-full-access',
    keepsNotices: true,
    cannot: ['ask'],
  },
};
