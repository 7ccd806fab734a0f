import assert from 'node:assert/strict';
import { openPage, show } from '../viewer.mjs';

export async function galleryShowsEveryScene({ context, server }) {
  const page = await openPage(context);
  await show(page, server);
  const scenes = await page.evaluate(() => fetch('api/scenes').then((answer) => answer.json()));
  assert.ok(scenes.length > 50, `${scenes.length} scenes`);
  await page.waitForSelector('.card .picture.drawn');
  assert.equal(await page.locator('.card').count(), scenes.length);
  await page.keyboard.press('/');
  await page.keyboard.type('pendulum');
  const shown = await page.locator('.card:visible').count();
  assert.ok(shown > 0 && shown < scenes.length / 2, `${shown} scenes found`);
  assert.equal(new URL(page.url()).searchParams.get('token'), null, 'the address keeps no token');
  page.assertNoErrors();
}

export async function cardOpensItsScene({ context, server }) {
  const page = await openPage(context);
  await show(page, server);
  await page.click('.card[data-scene="two_link"]');
  await page.waitForFunction(() => window.taut.session.model?.message.name === 'two_link');
  await page.waitForSelector('.card', { state: 'detached' }); // the gallery itself knows no keys
  await page.keyboard.press('g');
  await page.waitForSelector('.card');
  page.assertNoErrors();
}
