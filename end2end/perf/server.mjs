// A `verbatim serve` to be measured. `VERBATIM_PROGRAM` names the program; the release one if it doesn't.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = process.env.VERBATIM_PROGRAM ?? fileURLToPath(new URL('../../target/release/verbatim', import.meta.url));

// Reads the transcripts in `folder/.claude` alone: `{ link, url, stop }`.
export async function serve(folder) {
  const { CLAUDE_CONFIG_DIR: _, ...environment } = process.env;
  const given = ['serve', '--listen', '127.0.0.1:0', '--no-discover', '--posts-per-second', '0', '--data-dir', join(folder, 'data')];
  const server = spawn(program, [...given, '--claude-dir', join(folder, '.claude')], {
    env: { ...environment, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  // Whoever waits for what is measured waits for all that hold its end, also after an error here.
  process.once('exit', () => server.kill('SIGKILL'));
  const [line] = await Promise.race([
    once(createInterface({ input: server.stdout }), 'line'),
    ended.then(() => { throw new Error(`${program} ended before it printed its link`); }),
  ]);
  const [link] = line.match(/http:\/\/\S+/);
  const stop = async () => {
    server.kill('SIGKILL');
    await ended;
  };
  return { link, url: link.split('/#')[0], stop };
}
