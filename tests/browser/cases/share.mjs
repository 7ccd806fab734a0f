import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { openPage, playUntil, show } from '../viewer.mjs';

/** What a click in the menu Share downloads. */
async function downloaded(page, item) {
  await page.click('[title="Share and download"]');
  const waiting = page.waitForEvent('download');
  await page.locator('.menu button', { hasText: new RegExp(`^${item}`) }).click();
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

export async function everythingCanBeDownloaded({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=two_link&paused=1&parameters=g:3');
  await playUntil(page, 0.5);
  const scene = await downloaded(page, 'Scene');
  assert.equal(scene.name, 'two_link.json');
  assert.equal(JSON.parse(scene.bytes).parameters.g.value, 3, 'with what was changed');
  const recording = await downloaded(page, 'Recording');
  assert.equal(recording.name, 'two_link.taut');
  assert.equal(recording.bytes.subarray(1, 5).toString(), 'TAUT');
  const picture = await downloaded(page, 'Picture');
  assert.equal(picture.bytes.subarray(1, 4).toString(), 'PNG');
  const [head, ...rows] = (await downloaded(page, 'Plots')).bytes.toString().trim().split('\n');
  assert.match(head, /^run,method,step \(s\),time \(s\),kinetic \(J\)/);
  assert.ok(rows.length > 0 && rows.every((row) => row.split(',').length === head.split(',').length));
  page.assertNoErrors();
}

export async function aFilmIsWebM({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=two_link');
  await page.click('[title="Share and download"]');
  await page.click('.menu button:has-text("Film")');
  await page.waitForTimeout(1500);
  const film = await downloaded(page, 'Stop the film');
  assert.equal(film.name, 'two_link.webm');
  assert.equal(film.bytes.readUInt32BE(0), 0x1a45dfa3, 'begins as WebM does');
  assert.ok(film.bytes.length > 2000, `${film.bytes.length} bytes`);
  page.assertNoErrors();
}
