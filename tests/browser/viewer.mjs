// What the tests do with the page.
import assert from 'node:assert/strict';

const expected = /GPU stall|GroupMarkerNotSet|Automatic fallback to software/; // chromium's own remarks without a GPU

/** A page that fails the test on any error in its console. */
export async function openPage(context, { allow = /^$/ } = {}) {
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => {
    const isBad = ['error', 'warning'].includes(message.type());
    if (isBad && !expected.test(message.text()) && !allow.test(message.text())) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
  page.assertNoErrors = () => assert.deepEqual(errors, [], 'the console has errors');
  return page;
}

/** Shows what an address says, such as `scene=two_link`, and waits for its picture. */
export async function show(page, server, hash = '') {
  const url = new URL(server.address);
  url.hash = hash;
  const isShownAlready = page.url().split('#')[0] === url.href.split('#')[0];
  await page.goto(url.href);
  if (isShownAlready) await page.reload(); // another hash alone does not
  if (hash) await page.waitForFunction(() => window.taut?.viewer.stage.actors.some((actor) => actor.state));
}

/** Bodies of a run as they are drawn: `[x, y, z, …]`. After a change of the scene they come anew. */
export async function particles(page, run = 0) {
  await page.waitForFunction((run) => window.taut.viewer.stage.actors[run]?.state, run);
  return page.evaluate((run) => Array.from(window.taut.viewer.stage.actors[run].state.particles), run);
}

export function shownTime(page) {
  return page.evaluate(() => window.taut.viewer.player.time);
}

export function send(page, message) {
  return page.evaluate((message) => window.taut.session.connection.ask(message), message);
}

/** Goes to a time and holds there. */
export async function playUntil(page, time, patience = 40000) {
  await send(page, { type: 'play', speed: 0, until: time });
  await page.waitForFunction(
    (time) => {
      const { status } = window.taut.session;
      return status && !status.playing && status.runs.every((run) => run.status !== 'ok' || run.time >= time - 1e-9);
    },
    time,
    { timeout: patience },
  );
  // The last picture may still be under way.
  await page.evaluate(() => window.taut.viewer.player.refetch());
}

/** The picture as hue, saturation and lightness of every pixel: counted where `test` holds. */
export function countPixels(page, hue, width) {
  return page.evaluate(
    ([hue, width]) => {
      const { stage } = window.taut.viewer;
      stage.draw();
      const copy = document.createElement('canvas');
      copy.width = stage.canvas.width;
      copy.height = stage.canvas.height;
      const context = copy.getContext('2d');
      context.drawImage(stage.canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      const colours = new Set();
      let matching = 0;
      for (let i = 0; i < data.length; i += 4) {
        const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
        colours.add((r << 16) | (g << 8) | b);
        const high = Math.max(r, g, b);
        const range = high - Math.min(r, g, b);
        if (range < 50) continue;
        let angle = high === r ? ((g - b) / range) % 6 : high === g ? (b - r) / range + 2 : (r - g) / range + 4;
        angle = (60 * angle + 360) % 360;
        const away = Math.abs(((angle - hue + 540) % 360) - 180);
        if (away < width) ++matching;
      }
      return { matching, colours: colours.size };
    },
    [hue, width],
  );
}

export function hueOf(css) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(css.slice(at, at + 2), 16));
  const high = Math.max(r, g, b);
  const range = high - Math.min(r, g, b) || 1;
  const angle = high === r ? ((g - b) / range) % 6 : high === g ? (b - r) / range + 2 : (r - g) / range + 4;
  return (60 * angle + 360) % 360;
}

/** Where a body is on the page, in pixels. */
export function bodyOnPage(page, body) {
  return page.evaluate((body) => {
    const { stage, tools } = window.taut.viewer;
    const [actor] = stage.actors;
    const place = tools.picker.project(actor.model.position(actor.state, body));
    const box = stage.canvas.getBoundingClientRect();
    return { x: box.left + place.x, y: box.top + place.y };
  }, body);
}
