import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPage, particles, playUntil, show } from '../viewer.mjs';

// A particle of 1 kg that is pushed with what the input says.
const scene = {
  taut: 1,
  name: 'pushed',
  inputs: [
    { name: 'push', value: 0.5, min: -2, max: 2, unit: 'N', description: 'to the right' },
    { name: 'free', value: 0 },
  ],
  bodies: [{ type: 'particle', name: 'p', mass: 1, position: [0, 0, 0] }],
  forces: [{ type: 'force', point: 'p', force: { type: 'formula', value: ['=push', 0, 0] } }],
  simulation: { method: 'dop853', step: 0.01, duration: 5 },
};

const shown = (page, name) => page.locator('.inputs .slider', { hasText: name }).locator('input[type=number]').inputValue();

async function slide(page, name, value) {
  const range = page.locator('.inputs .slider', { hasText: name }).locator('input[type=range]');
  await range.evaluate((input, value) => {
    input.value = String(value);
    input.dispatchEvent(new Event('input'));
  }, value);
  // It has arrived when the state that is shown has it.
  await page.waitForFunction(
    ([name, value]) => {
      const { session, viewer } = window.taut;
      const at = session.model.message.inputs.findIndex((input) => input.name === name);
      return Math.abs(viewer.stage.actors[0].state.inputs[at] - value) < 1e-9;
    },
    [name, value],
  );
}

/** A server of its own with a file, and a page that shows it. */
async function opened({ context, taut, web, startServer }, name, content) {
  const file = join(mkdtempSync(join(tmpdir(), 'taut-')), name);
  writeFileSync(file, content);
  const server = await startServer(taut, web, { more: [file, '--paused'] });
  const page = await openPage(context);
  await show(page, server);
  await page.waitForFunction(() => window.taut?.viewer.stage.actors.some((actor) => actor.state));
  await page.waitForSelector('.inputs .slider');
  return { server, page };
}

export async function inputsAreSlidersThatFollowWhatWasRecorded({ context, taut, web, startServer }) {
  const { server, page } = await opened({ context, taut, web, startServer }, 'pushed.json', JSON.stringify(scene));
  assert.equal(await page.locator('.inputs .slider').count(), 2);
  assert.equal(await shown(page, 'push'), '0.5');
  const range = page.locator('.inputs .slider', { hasText: 'push' }).locator('input[type=range]');
  assert.deepEqual(await range.evaluate((input) => [input.min, input.max]), ['-2', '2']);
  assert.match(await page.locator('.inputs').textContent(), /to the right/);

  await slide(page, 'push', 1);
  await playUntil(page, 1);
  assert.ok(Math.abs((await particles(page))[0] - 0.5) < 1e-6, 'it was pushed with 1 N');
  await slide(page, 'push', -1);
  await playUntil(page, 2);
  assert.ok(Math.abs((await particles(page))[0] - 1) < 1e-6, 'and stopped with -1 N');

  // In the past the slider stands where it stood.
  await page.waitForTimeout(500);
  await page.evaluate(() => window.taut.viewer.player.scrub(0.5));
  await page.waitForFunction(() => document.querySelector('.inputs input[type=number]').value === '1');
  await page.evaluate(() => window.taut.viewer.player.leavePast());
  await page.waitForFunction(() => document.querySelector('.inputs input[type=number]').value === '-1');

  // So it does in a recording.
  const bytes = await page.evaluate(async () => Array.from(new Uint8Array(await (await fetch(`api/worlds/${window.taut.session.world}/recording?run=0`)).arrayBuffer())));
  const { server: player, page: second } = await opened({ context, taut, web, startServer }, 'pushed.taut', Uint8Array.from(bytes));
  for (const [time, value] of [[0.5, '1'], [1.5, '-1']]) {
    await second.evaluate((time) => window.taut.viewer.player.scrub(time), time);
    await second.waitForFunction((value) => document.querySelector('.inputs input[type=number]').value === value, value);
  }
  second.assertNoErrors();
  await player.stop();

  // What is out of range is brought back.
  const field = page.locator('.inputs .slider', { hasText: 'push' }).locator('input[type=number]');
  await field.fill('7');
  await field.press('Enter');
  await page.waitForFunction(() => window.taut.viewer.stage.actors[0].state.inputs[0] === 2);
  assert.equal(await shown(page, 'push'), '2');

  // A new start has what the scene says.
  await page.waitForTimeout(500);
  await page.evaluate(() => window.taut.viewer.player.reset());
  await page.waitForFunction(() => document.querySelector('.inputs input[type=number]').value === '0.5');
  page.assertNoErrors();
  await server.stop();
}

export async function aLinkHasTheInputs({ context, taut, web, startServer }) {
  const { server, page } = await opened({ context, taut, web, startServer }, 'pushed.json', JSON.stringify(scene));
  await slide(page, 'push', 1.5);
  await slide(page, 'free', 3);
  const link = await page.evaluate(() => window.taut.viewer.link());
  const other = await openPage(context);
  await show(other, server, `${link.split('#')[1]}&paused=1`);
  await other.waitForFunction(() => window.taut?.viewer.stage.actors.some((actor) => actor.state?.inputs?.[0] === 1.5));
  await other.waitForFunction(() => window.taut.viewer.stage.actors[0].state.inputs[1] === 3);
  assert.equal(await shown(other, 'push'), '1.5');
  await playUntil(other, 1);
  assert.ok(Math.abs((await particles(other))[0] - 0.75) < 1e-6, 'it was pushed with 1.5 N from the start');
  other.assertNoErrors();
  await server.stop();
}
