import assert from 'node:assert/strict';
import { countPixels, openPage, particles, playUntil, send, show, shownTime } from '../viewer.mjs';

export async function pictureIsNotBlankAndMoves({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=two_link');
  const start = await shownTime(page);
  const before = await particles(page);
  await page.waitForFunction((start) => window.taut.viewer.player.time > start + 0.3, start);
  const after = await particles(page);
  assert.ok(Math.hypot(after[3] - before[3], after[4] - before[4]) > 0.1, 'node2 has moved');
  const { colours } = await countPixels(page, 0, 0);
  assert.ok(colours > 50, `${colours} different colours in the picture`);
  page.assertNoErrors();
}

/** Rigid bodies, contacts, joints, robots and cloth: each is drawn without an error. */
export async function everyKindOfSceneIsDrawn({ context, server }) {
  const page = await openPage(context);
  for (const scene of ['gripper', 'four_bar', 'arm6.urdf', 'flag_on_hinged_pole', 'bead_on_curve']) {
    await show(page, server, `scene=${scene}&forces=1&contacts=1&colour=speed`);
    await page.waitForFunction(() => window.taut.viewer.player.time > 0);
    const { colours } = await countPixels(page, 0, 0);
    assert.ok(colours > 30, `${scene}: ${colours} different colours`);
  }
  page.assertNoErrors();
}

export async function scrubbingShowsTheRecordedStateBitForBit({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=two_link&paused=1');
  await playUntil(page, 0.5);
  // What was shown live, step by step.
  const live = [];
  for (let i = 0; i < 3; ++i) {
    await send(page, { type: 'step', count: 7 });
    await page.waitForFunction((i) => window.taut.viewer.player.time > 0.5 + 0.07 * i + 0.06, i);
    live.push({ time: await shownTime(page), places: await particles(page) });
  }
  // How far the recording goes is told a little later than what is live.
  await page.waitForFunction((time) => window.taut.viewer.player.range[1] >= time, live.at(-1).time);
  for (const { time, places } of live.reverse()) {
    await page.evaluate((time) => window.taut.viewer.player.scrub(time + 1e-9), time);
    assert.equal(await shownTime(page), time);
    assert.deepEqual(await particles(page), places, `the state at ${time} s`);
    const exact = await page.evaluate(async (time) => {
      const state = await window.taut.session.connection.recorded(0, time + 1e-9, 'float64');
      return Array.from(state.particles);
    }, time);
    assert.deepEqual(exact.map(Math.fround), places, `the numbers behind it at ${time} s`);
    assert.notDeepEqual(exact, places, 'float64 has more digits');
  }
  // With the slider, as a person does it.
  await page.locator('.timeline').evaluate((slider) => {
    slider.value = '0';
    slider.dispatchEvent(new Event('input'));
  });
  await page.waitForFunction(() => window.taut.viewer.player.time === 0);
  page.assertNoErrors();
}

export async function renderModeDrawsOneState({ context, server }) {
  const page = await openPage(context);
  const url = new URL(server.address);
  for (const [name, value] of Object.entries({ render: 1, scene: 'two_link', at: 0.5, methods: 'rattle', theme: 'light' }))
    url.searchParams.set(name, value);
  await page.goto(url.href);
  await page.waitForFunction(() => window.tautReady);
  assert.equal(await page.evaluate(() => window.tautReady), true);
  assert.equal(await page.locator('.side').count(), 0, 'no panels');
  await page.evaluate(() => window.tautShow(0.25));
  page.assertNoErrors();
}
