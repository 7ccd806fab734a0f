// `taut serve` with a module in another process.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPage, show } from '../viewer.mjs';

export async function aModuleInAnotherProcessMovesTheHand({ context, taut, web, startServer }) {
  const folder = mkdtempSync(join(tmpdir(), 'taut-serve-'));
  const write = (name, content) => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const server = await startServer(taut, web, {
    config: write('server.json', {
      taut_serve: 1,
      scene: 'grasp_box',
      viewers: { port: 0, token: 'viewers' },
      modules: { token: 'modules' },
      devices: [{ hand: 'right', type: 'module' }],
    }),
  });
  execFileSync(taut, ['grasp', 'grasp_box', '--duration', '3', '--record', join(folder, 'box.session'), '--quiet']);
  const module = spawn(taut, [
    'serve',
    write('module.json', {
      taut_serve: 1,
      connect: { port: server.port, token: 'modules' },
      devices: [{ hand: 'right', type: 'recorded', file: 'box.session' }],
    }),
  ]);
  const ended = new Promise((resolve) => module.on('exit', resolve));
  let said = '';
  module.stdout.on('data', (data) => (said += data));
  module.stderr.on('data', (data) => (said += data));
  try {
    const page = await openPage(context);
    await show(page, server);
    await page.waitForFunction(() => window.taut?.viewer.stage.actors[0]?.state?.hands[0]?.isMoved);
    // The page's mouse is not in the configuration.
    await page.keyboard.press('4');
    await page.keyboard.press('n');
    await page.getByText('not to be moved by a mouse').waitFor();
    // The session is over, or its process is: the hand stays.
    module.kill('SIGINT');
    await ended;
    assert.match(said, /recorded: [1-9]\d* samples sent, [1-9]\d* answered/);
    await page.waitForFunction(() => window.taut.viewer.stage.actors[0].state.hands[0].isStale);
    page.assertNoErrors();
  } finally {
    module.kill('SIGKILL');
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}
