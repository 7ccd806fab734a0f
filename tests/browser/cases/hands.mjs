import assert from 'node:assert/strict';
import { countPixels, openPage, playUntil, send, show } from '../viewer.mjs';

const skinHue = 22;

const handState = (page, hand = 0) =>
  page.evaluate((hand) => {
    const { stage } = window.taut.viewer;
    const { state } = stage.actors[0];
    const { position, angles, fingers, isMoved, isStale, refused } = state.hands[hand];
    return { position: [...position], angles: [...angles], fingers: [...fingers], isMoved, isStale, refused, time: state.time };
  }, hand);

/** Of a body, by its name. */
const place = (page, name) =>
  page.evaluate((name) => {
    const { stage } = window.taut.viewer;
    const [{ model, state }] = stage.actors;
    const index = model.message.rigid.findIndex((body) => body.name === name);
    return [...state.rigid.slice(7 * index, 7 * index + 3)];
  }, name);

export async function aHandIsDrawnWithItsGhostAndWhatItFeels({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=grasp_box&paused=1');
  await playUntil(page, 1.5);
  const seen = await page.evaluate(() => {
    const [{ hands, state }] = window.taut.viewer.stage.actors;
    const skins = [];
    hands.group.traverse((object) => object.isSkinnedMesh && skins.push({ points: object.geometry.getAttribute('position').count, visible: object.visible }));
    return { skins, ghosts: state.ghosts.length, forces: state.limbForces.length, numbers: [...state.ghosts, ...state.limbForces].every(Number.isFinite) };
  });
  assert.equal(seen.skins.length, 3, 'a skin, and a ghost outside and inside of things');
  assert.ok(seen.skins.every(({ points, visible }) => points > 2000 && visible));
  assert.deepEqual([seen.ghosts, seen.forces, seen.numbers], [16 * 7, 16 * 3, true]);
  const { matching } = await countPixels(page, skinHue, 12);
  assert.ok(matching > 3000, `skin has ${matching} pixels`);
  // The box is held: thumb and fingers feel it.
  await page.waitForFunction(() => document.querySelector('.finger output')?.textContent > '0.5');
  const { fingers, isMoved } = await handState(page);
  assert.ok(fingers[0] > 0.5 && fingers[1] > 0.5 && fingers.every((force) => force >= 0 && force <= 12), String(fingers));
  assert.equal(isMoved, false);
  // Without the ghost and arrows.
  await page.keyboard.press('d');
  await page.getByText('Where the user’s hand is').click();
  await page.waitForFunction(() => {
    let count = 0;
    window.taut.viewer.stage.actors[0].hands.group.traverse((object) => object.isSkinnedMesh && object.visible && object.parent.visible && ++count);
    return count === 1;
  });
  // In the past there are ghosts as well.
  await page.evaluate(() => window.taut.viewer.player.scrub(0.4));
  assert.equal(await page.evaluate(() => window.taut.viewer.stage.actors[0].state.ghosts.length), 16 * 7);
  page.assertNoErrors();
}

export async function loopsKeepTheirTimeAndSayWhatWasLate({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=grasp_box');
  await page.waitForFunction(() => window.taut.session.status?.loops?.every(({ turns }) => turns > 20));
  const { loops, runs } = await page.evaluate(() => window.taut.session.status);
  assert.deepEqual(loops.map(({ name, rate }) => [name, rate]), [['simulation', 1000], ['display', 60]]);
  assert.ok(loops[0].turns >= runs[0].steps - 100, 'each step is a turn');
  assert.ok(loops.every(({ late, turns, p50, p99, longest }) => late <= turns && p50 <= p99 && p99 <= longest));
  await page.waitForFunction(() => document.querySelectorAll('.loops [data-loop]').length === 2);
  // What the display handed on is recorded, in order.
  await page.evaluate(() => window.taut.viewer.player.pause());
  await page.waitForFunction(() => !window.taut.session.status.playing);
  const { times } = await send(page, { type: 'history' });
  assert.ok(times.length > 10 && times.every((time, i) => i === 0 || time > times[i - 1]));
  page.assertNoErrors();
}

export async function twoHandsHaveTwoGhosts({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=grasp_box&paused=1');
  const { text } = await send(page, { type: 'save' });
  const scene = JSON.parse(text);
  scene.hands.push({ name: 'left', side: 'left', position: [0.3, 0, 0.1], keyframes: [{ time: 0 }, { time: 1, position: [0.3, 0, 0.1] }] });
  await send(page, { type: 'edit', text: JSON.stringify(scene) });
  await page.waitForFunction(() => window.taut.viewer.stage.actors[0]?.state?.hands.length === 2);
  await playUntil(page, 0.2);
  assert.deepEqual(await page.evaluate(() => window.taut.session.model.message.hands.map(({ side }) => side)), ['right', 'left']);
  assert.equal(await page.evaluate(() => window.taut.viewer.stage.actors[0].state.ghosts.length), 2 * 16 * 7);
  assert.equal(await page.locator('.hand-card .hand').count(), 2);
  page.assertNoErrors();
}

/** Presses at the ghost's wrist, and moves by so many pixels. */
async function dragHand(page, dx, dy, steps = 12) {
  const at = await page.evaluate(() => {
    const { stage, tools } = window.taut.viewer;
    const [{ model, state }] = stage.actors;
    const palm = tools.picker.project(model.position(state, model.message.hands[0].bodies[0]));
    const box = stage.canvas.getBoundingClientRect();
    return { x: box.left + palm.x, y: box.top + palm.y };
  });
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  // As slowly as a person who carries something.
  for (let i = 1; i <= steps; ++i) {
    await page.mouse.move(at.x + (dx * i) / steps, at.y + (dy * i) / steps);
    await page.waitForTimeout(60);
  }
  await page.mouse.up();
}

/** Waits until so much simulated time has gone by. */
async function go(page, seconds) {
  const { time } = await handState(page);
  await page.waitForFunction((time) => window.taut.viewer.stage.actors[0].state.time > time, time + seconds);
}

export async function theMouseMovesAHandThatGraspsAndLifts({ context, server }) {
  const page = await openPage(context);
  // Paused where the motion has put the hand around the box, before it closes.
  await show(page, server, 'scene=grasp_box&paused=1&camera=0.2,-0.75,0.2,0,0,0.1');
  await playUntil(page, 0.55);
  const before = await place(page, 'box');
  await page.keyboard.press('4');
  await send(page, { type: 'play', speed: 1 });
  for (let i = 0; i < 8; ++i) await page.keyboard.press('n');
  // Each finger closes until it is held well.
  await page.waitForFunction(() => window.taut.viewer.handControl.feel(0).every((force) => force > 3));
  const gripped = await handState(page);
  assert.ok(gripped.isMoved);
  await dragHand(page, 0, -90, 40);
  await page.waitForFunction(
    ([name, height]) => {
      const [{ model, state }] = window.taut.viewer.stage.actors;
      return state.rigid[7 * model.message.rigid.findIndex((body) => body.name === name) + 2] > height;
    },
    ['box', before[2] + 0.03],
  );
  // Held by friction alone: it stays up.
  await go(page, 0.3);
  assert.ok((await place(page, 'box'))[2] > before[2] + 0.03);
  // Opened, it falls.
  for (let i = 0; i < 15; ++i) await page.keyboard.press('o');
  await page.waitForFunction(
    ([name, height]) => {
      const [{ model, state }] = window.taut.viewer.stage.actors;
      return state.rigid[7 * model.message.rigid.findIndex((body) => body.name === name) + 2] < height;
    },
    ['box', before[2] + 0.01],
  );
  // The wheel moves it away from the viewer, and Shift with it closes the fingers.
  const near = (await handState(page)).position[1];
  await page.mouse.wheel(0, -300);
  await page.waitForFunction((near) => window.taut.viewer.stage.actors[0].state.hands[0].position[1] > near + 0.01, near);
  // And the motion goes on.
  await page.keyboard.press('y');
  await page.waitForFunction(() => !window.taut.viewer.stage.actors[0].state.hands[0].isMoved);
  page.assertNoErrors();
}
