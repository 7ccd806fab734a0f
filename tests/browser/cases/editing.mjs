import assert from 'node:assert/strict';
import { openPage, particles, playUntil, show } from '../viewer.mjs';

export async function anErrorInTheSceneIsShownAtItsLine({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=two_link');
  await page.keyboard.press('e');
  const area = page.locator('.editor textarea');
  const text = await area.inputValue();
  const broken = text.replace('"length": "=L"', '"lenght": "=L"');
  assert.notEqual(broken, text);
  await area.fill(broken);
  await page.waitForSelector('.error-note:visible');
  const line = broken.slice(0, broken.indexOf('"lenght"')).split('\n').length;
  const note = page.locator('.error-note');
  assert.equal(await note.getAttribute('data-line'), String(line));
  assert.match(await note.textContent(), /lenght.*length/s);
  assert.equal(await page.locator('.gutter .bad').textContent(), String(line));
  // It is beside the line, not only somewhere in the editor.
  const [mark, number] = [await page.locator('.error-line').boundingBox(), await page.locator('.gutter .bad').boundingBox()];
  assert.ok(Math.abs(mark.y - number.y) < 3, `the mark is at ${mark.y}, the line's number at ${number.y}`);
  // Broken JSON, too.
  await area.fill(text.replace('"taut": 1,', '"taut": 1,,'));
  await page.waitForFunction(() => document.querySelector('.error-note')?.dataset.line === '2' && !document.querySelector('.error-note').hidden);
  // What is right is applied.
  await area.fill(text.replace('Two-link arm', 'Two-link leg'));
  await page.waitForSelector('.verdict.ok');
  assert.ok(await note.isHidden());
  await page.keyboard.press('Control+Enter');
  await page.waitForFunction(() => document.querySelector('.viewer h1').textContent.startsWith('Two-link leg'));
  page.assertNoErrors();
}

export async function aSliderChangesTheMotion({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=two_link&paused=1');
  await playUntil(page, 0.5);
  const usual = await particles(page);
  await page.click('text=Start anew');
  const slider = page.locator('.slider', { hasText: 'gravity' }).first().locator('input[type=range]');
  const generation = await page.evaluate(() => window.taut.session.model.message.generation);
  await slider.evaluate((input) => {
    input.value = '2';
    input.dispatchEvent(new Event('input'));
  });
  await page.waitForFunction((before) => window.taut.session.model.message.generation > before, generation);
  const g = await page.evaluate(() => window.taut.session.model.message.parameters.find((p) => p.name === 'g').value);
  assert.ok(Math.abs(g - 2) < 0.2, `g is ${g}`);
  await playUntil(page, 0.5);
  const slower = await particles(page);
  const ratio = slower[4] / usual[4];
  assert.ok(Math.abs(ratio - g / 9.81) < 0.02, `it has fallen ${ratio} as far with ${g / 9.81} of the gravity`);
  page.assertNoErrors();
}

export async function keysAndTheme({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=two_link');
  await page.keyboard.press('?');
  await page.waitForSelector('dialog.help[open]');
  await page.keyboard.press('Escape');
  const dark = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await dark(), 'light');
  await page.keyboard.press('t');
  assert.equal(await dark(), 'dark');
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.taut.session.status.playing === false);
  const before = await page.evaluate(() => window.taut.viewer.player.time);
  await page.keyboard.press('.');
  await page.waitForFunction((before) => window.taut.viewer.player.time > before, before);
  await page.keyboard.press('r');
  await page.waitForFunction(() => window.taut.viewer.player.time === 0);
  page.assertNoErrors();
}
