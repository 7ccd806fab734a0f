// Hands in a headset, which the package iwer emulates.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPage, playUntil, send, show } from '../viewer.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const iwer = () => readFileSync(join(here, '../../../web/node_modules/iwer/build/iwer.min.js'), 'utf8');

/** A page in a browser with a headset. */
async function openWithHeadset(context) {
  const page = await openPage(context);
  await page.setViewportSize({ width: 780, height: 300 }); // small pictures are drawn more often
  await page.addInitScript({
    content: `${iwer()};
      window.headset = new IWER.XRDevice(IWER.metaQuest3);
      window.headset.installRuntime({ forceInstall: true, polyfillLayers: false });
      window.headset.primaryInputMode = 'hand';
      window.headset.position.set(0, 1.5, 0);
      window.headset.hands.right.position.set(0, 1.25, -0.4);`,
  });
  return page;
}

const enter = async (page) => {
  await page.getByRole('button', { name: 'Enter VR' }).click();
  await page.waitForFunction(() => window.taut.viewer.stage.xr.isPresenting);
};
const hand = (page) =>
  page.evaluate(() => {
    const { position, angles, isStale, isMoved } = window.taut.viewer.stage.actors[0].state.hands[0];
    return { position: [...position], angles: [...angles], isStale, isMoved };
  });

export async function withoutAHeadsetThereIsNoButton({ context, server }) {
  const page = await openPage(context);
  await show(page, server, 'scene=grasp_box&paused=1');
  await page.waitForTimeout(200);
  assert.ok(await page.locator('.enter-vr').isHidden());
  page.assertNoErrors();
}

export async function aHandInAHeadsetMovesTheGhost({ context, server }) {
  const page = await openWithHeadset(context);
  await show(page, server, 'scene=grasp_box&paused=1');
  await enter(page);
  await send(page, { type: 'play', speed: 1 });
  const settled = (height) =>
    page.waitForFunction((height) => {
      const found = window.taut.viewer.stage.actors[0].state.hands[0];
      return found.isMoved && Math.abs(found.position[2] - height) < 0.004;
    }, height);
  await page.waitForFunction(() => window.taut.viewer.stage.actors[0].state.hands[0].isMoved);
  // Where it is seen, there it is: the joints as the page would send them.
  const wrist = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const { xr, stage } = { xr: window.taut.viewer.stage.xr, stage: window.taut.viewer.stage };
        const before = xr.onFrame;
        xr.onFrame = (now) => {
          const [seen] = stage.seenHands().filter(({ side }) => side === 'right');
          before(now);
          if (!seen) return;
          xr.onFrame = before;
          resolve(seen.joints.slice(0, 3));
        };
      }),
  );
  await settled(wrist[2]);
  const first = await hand(page);
  first.position.forEach((x, i) => assert.ok(Math.abs(x - wrist[i]) < 0.005, `${first.position} is not at ${wrist}`));
  assert.ok(first.angles.every(Number.isFinite));
  // Higher by 6 cm.
  await page.evaluate(() => (window.headset.hands.right.position.y += 0.06));
  await settled(wrist[2] + 0.06);
  // A pinch bends the index finger.
  const bend = ({ angles }) => angles[4] + angles[5] + angles[6];
  await page.evaluate(() => window.headset.hands.right.updatePinchValue(1));
  await page.waitForFunction(
    (before) => {
      const { angles } = window.taut.viewer.stage.actors[0].state.hands[0];
      return angles[4] + angles[5] + angles[6] > before + 0.2;
    },
    bend(first),
  );
  // Tracking is lost and comes back: the ghost stays, and goes on.
  await page.evaluate(() => (window.headset.hands.right.connected = false));
  await page.waitForFunction(() => window.taut.viewer.stage.actors[0].state.hands[0].isStale);
  const lost = await hand(page);
  assert.ok(lost.position.every(Number.isFinite) && lost.isMoved);
  await page.evaluate(() => {
    window.headset.hands.right.connected = true;
    window.headset.hands.right.position.y -= 0.03;
  });
  await settled(lost.position[2] - 0.03);
  // Joints that are no numbers are not sent on.
  await page.evaluate(() => {
    const { prototype } = window.XRFrame;
    const right = prototype.getJointPose;
    prototype.getJointPose = () => ({ transform: { position: { x: NaN, y: Infinity, z: 0 } } });
    window.mendFrames = () => (prototype.getJointPose = right);
  });
  await page.waitForFunction(() => window.taut.viewer.stage.actors[0].state.hands[0].isStale);
  await page.evaluate(() => window.mendFrames());
  await page.waitForFunction(() => !window.taut.viewer.stage.actors[0].state.hands[0].isStale);
  await page.evaluate(() => window.taut.viewer.stage.xr.leave());
  await page.waitForFunction(() => !window.taut.viewer.stage.xr.isPresenting);
  await playUntil(page, await page.evaluate(() => window.taut.session.status.time + 0.05));
  page.assertNoErrors();
}

export async function aSceneWithoutHandsIsSeenInAHeadset({ context, server }) {
  const page = await openWithHeadset(context);
  await show(page, server, 'scene=box_stack&paused=1');
  await enter(page);
  const pictures = await page.evaluate(
    () =>
      new Promise((resolve) => {
        let count = 0;
        window.taut.viewer.stage.onDrawn = () => ++count === 3 && resolve(count);
      }),
  );
  assert.equal(pictures, 3);
  await page.evaluate(() => window.taut.viewer.stage.xr.leave());
  page.assertNoErrors();
}
