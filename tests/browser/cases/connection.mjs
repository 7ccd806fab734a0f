import assert from 'node:assert/strict';
import { openPage, particles, show } from '../viewer.mjs';

export async function thePageComesBackAfterTheServerRestarts({ context, taut, web, startServer }) {
  const page = await openPage(context, { allow: /WebSocket connection|ERR_CONNECTION/ });
  const first = await startServer(taut, web);
  await show(page, first, 'scene=two_link&parameters=g:3');
  await first.stop();
  await page.waitForSelector('.banner:visible');
  const second = await startServer(taut, web, { port: first.port, token: first.token });
  try {
    await page.waitForSelector('.banner', { state: 'hidden' });
    await page.waitForFunction(() => window.taut.viewer.player.time > 0 && window.taut.viewer.player.time < 5);
    const before = await particles(page);
    await page.waitForFunction((y) => Math.abs(window.taut.viewer.stage.actors[0].state.particles[4] - y) > 0.01, before[4]);
    const g = await page.evaluate(() => window.taut.session.model.message.parameters.find((p) => p.name === 'g').value);
    assert.equal(g, 3, 'it comes back as it was');
    page.assertNoErrors();
  } finally {
    await second.stop();
  }
}

export async function withoutTheTokenThePageOnlyWatches({ browser, server }) {
  const context = await browser.newContext();
  const page = await openPage(context);
  const url = new URL(server.address);
  url.search = '';
  await page.goto(url.href);
  await page.waitForSelector('.toast');
  const refused = await page.evaluate(() => window.taut.session.open({ scene: 'two_link' }).then(() => '', (error) => error.message));
  assert.notEqual(refused, '');
  page.assertNoErrors();
  await context.close();
}
