import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { countPixels, hueOf, openPage, playUntil, show } from '../viewer.mjs';

const methods = ['baumgarte', 'post', 'shake']; // orange, green, pink: of clearly different hues

/** What `taut compare` finds in the same runs. */
function reported(taut, duration) {
  const text = execFileSync(taut, ['compare', 'two_link', '--methods', methods.join(), '--duration', String(duration), '--json']);
  const { runs } = JSON.parse(text);
  return runs.map((run) => run.constraint_error.accumulated);
}

export async function threeMethodsHaveThreeColoursAndTheErrorsOfTheReport({ context, server, taut }) {
  const page = await openPage(context);
  await show(page, server, `scene=two_link&paused=1&layout=tiles&runs=${methods.join()}`);
  await playUntil(page, 1);
  const colours = await page.evaluate(() => window.taut.session.model.message.runs.map((run) => run.colour.light));
  assert.equal(new Set(colours).size, 3);
  for (const [index, colour] of colours.entries()) {
    const { matching } = await countPixels(page, hueOf(colour), 8);
    assert.ok(matching > 60, `${matching} pixels have the colour of ${methods[index]}`);
  }
  await page.waitForFunction(() => document.querySelectorAll('.error-bar').length === 3);
  await page.waitForFunction(() => window.taut.viewer.series.runs.every((run) => run.times.at(-1) >= 1 - 1e-9));
  await page.waitForTimeout(300); // the next time that bars are drawn
  const bars = await page.locator('.error-bar').evaluateAll((list) =>
    list.map((bar) => ({ method: bar.dataset.method, value: Number(bar.dataset.value), share: Number(bar.dataset.share) })),
  );
  assert.deepEqual(bars.map((bar) => bar.method), methods);
  const errors = reported(taut, 1);
  const order = (values) => values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  assert.deepEqual(order(bars.map((bar) => bar.share)), order(errors), 'bars are in the order of the report');
  bars.forEach(({ value }, i) => assert.ok(Math.abs(value / errors[i] - 1) < 1e-6, `${methods[i]}: ${value}, in the report ${errors[i]}`));
  const labels = await page.locator('.run-label b').allTextContents();
  assert.deepEqual(labels, methods);
  page.assertNoErrors();
}

export async function aDivergedMethodSaysWhy({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=two_link&runs=rattle,penalty@0.1');
  const label = page.locator('.run-label[data-method="penalty"]');
  await label.locator('.badge.bad').waitFor();
  const reason = await label.locator('.run-reason').textContent();
  assert.ok(reason.length > 20, `the reason: ${reason}`);
  // The other one goes on.
  const time = await page.evaluate(() => window.taut.viewer.player.time);
  await page.waitForFunction((time) => window.taut.viewer.player.time > time + 0.2, time);
  page.assertNoErrors();
}

export async function aLinkShowsTheSameAgain({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=two_link&parameters=g:3&runs=rattle@0.005,icd@0.01&layout=tiles&camera=5,2,60,1,-3,0');
  await page.waitForFunction(() => location.hash.includes('camera=5,2,60,1,-3,0'));
  const link = await page.evaluate(() => window.taut.viewer.link());
  assert.ok(!link.includes('token'), link);
  const other = await openPage(context);
  await other.goto(link);
  await other.waitForFunction(() => window.taut?.viewer.stage.actors.length === 2 && window.taut.viewer.stage.cameraPlace);
  const seen = await other.evaluate(() => {
    const { session, viewer } = window.taut;
    const { runs, parameters } = session.model.message;
    return {
      runs: runs.map((run) => [run.method, run.step]),
      g: parameters.find((p) => p.name === 'g').value,
      camera: viewer.stage.cameraPlace.map((x) => Math.round(x * 1e3) / 1e3 + 0),
      layout: viewer.stage.layout,
    };
  });
  assert.deepEqual(seen, { runs: [['rattle', 0.005], ['icd', 0.01]], g: 3, camera: [5, 2, 60, 1, -3, 0], layout: 'tiles' });
  page.assertNoErrors();
  other.assertNoErrors();
}
