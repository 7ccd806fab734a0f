import assert from 'node:assert/strict';
import { bodyOnPage, openPage, particles, playUntil, show } from '../viewer.mjs';

const free = 80; // the corner of a 9 × 9 cloth across from one that is held

export async function draggingAVertexMovesItAndLettingGoReleasesIt({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=cloth&paused=1&parameters=n:9');
  await playUntil(page, 2);
  await page.keyboard.press('f');
  await page.waitForTimeout(500); // the camera glides
  const at = await bodyOnPage(page, free);
  const before = (await particles(page)).slice(3 * free);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x, at.y - 30, { steps: 3 });
  await page.waitForFunction(() => window.taut.viewer.tools.selected?.body !== undefined);
  assert.equal(await page.evaluate(() => window.taut.viewer.tools.selected.body), free);
  await page.keyboard.press(' ');
  await page.mouse.move(at.x, at.y - 110, { steps: 8 });
  // It follows the pointer, up to the length of the cloth.
  await page.waitForFunction(
    ([body, height]) => window.taut.viewer.stage.actors[0].state.particles[3 * body + 1] > height + 0.1,
    [free, before[1]],
  );
  assert.equal(await page.evaluate(() => window.taut.session.status.grabs.length), 1);
  await page.mouse.up();
  await page.waitForFunction(() => window.taut.session.status.grabs.length === 0);
  const held = (await particles(page))[3 * free + 1];
  await page.waitForFunction(([body, height]) => window.taut.viewer.stage.actors[0].state.particles[3 * body + 1] < height - 0.05, [free, held]);
  page.assertNoErrors();
}

export async function aClickPinsAndUnpins({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=two_link&paused=1');
  await playUntil(page, 0.5);
  await page.keyboard.press('2');
  const at = await bodyOnPage(page, 1);
  await page.mouse.click(at.x, at.y);
  await page.waitForFunction(() => window.taut.session.model.message.constraints.some((each) => each.pin));
  const before = (await particles(page)).slice(3);
  await playUntil(page, 0.8);
  const after = (await particles(page)).slice(3);
  after.forEach((x, i) => assert.ok(Math.abs(x - before[i]) < 1e-4, `coordinate ${i} went from ${before[i]} to ${x}`));
  const again = await bodyOnPage(page, 1);
  await page.mouse.click(again.x, again.y);
  await page.waitForFunction(() => !window.taut.session.model.message.constraints.some((each) => each.pin));
  page.assertNoErrors();
}

export async function pickingShowsNameAndValues({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=two_link&paused=1');
  await playUntil(page, 0.5);
  const at = await bodyOnPage(page, 1);
  await page.mouse.click(at.x, at.y);
  await page.waitForFunction(() => document.querySelectorAll('.inspector dt').length > 2);
  assert.equal(await page.locator('.inspector h2').textContent(), 'node2');
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('.inspector').isHidden());
  page.assertNoErrors();
}
