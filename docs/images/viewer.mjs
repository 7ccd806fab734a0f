// Makes the pictures of the viewer in this folder:
//
//   node docs/images/viewer.mjs build/release/bin/taut [NAME…]
//
// It needs Chromium and what `npm ci` installs in web/.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '../../tests/browser/server.mjs';
import { bodyOnPage, playUntil, show } from '../../tests/browser/viewer.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const web = resolve(here, '../../web');
const page = resolve(here, '../../build/web');
const [taut = resolve(here, '../../build/release/bin/taut'), ...only] = process.argv.slice(2);

/** An address, the time to show, and what to do before the picture is taken. */
const pictures = {
  viewer_compare: {
    hash: 'scene=two_link&paused=1&runs=rattle,lagrange,icd,penalty@0.1',
    until: 11,
    act: (page) => page.keyboard.press('m'),
  },
  viewer_cloth: {
    hash: 'scene=cloth&paused=1&parameters=n:31&colour=strain',
    theme: 'dark',
    until: 0.35,
    async act(page) {
      const at = await bodyOnPage(page, 480);
      await page.mouse.click(at.x, at.y);
      await page.waitForFunction(() => document.querySelectorAll('.inspector dt').length > 2);
    },
  },
  // Lifted, with the ghost a little inside the box.
  viewer_hand: {
    hash: 'scene=grasp_box&paused=1&parameters=squeeze:0.012&camera=0.22,-0.62,0.3,0,0,0.13',
    until: 1.9,
    act: (page) => page.keyboard.press('b'),
  },
  viewer_gallery: { hash: '', height: 560, act: (page) => page.waitForFunction(seenAreDrawn) },
};

function seenAreDrawn() {
  const seen = [...document.querySelectorAll('.card')].filter((card) => card.getBoundingClientRect().top < innerHeight);
  return seen.length > 0 && seen.every((card) => card.querySelector('.picture.drawn'));
}

execFileSync(process.execPath, [join(web, 'build.mjs'), '--out', page], { stdio: 'inherit' });
const { chromium } = createRequire(join(web, 'package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-background-networking'] });
const server = await startServer(taut, page);
for (const [name, { hash, theme = 'light', height = 720, until, act }] of Object.entries(pictures)) {
  if (only.length && !only.includes(name)) continue;
  const context = await browser.newContext({ viewport: { width: 1200, height }, colorScheme: theme });
  context.setDefaultTimeout(120000);
  const tab = await context.newPage();
  await show(tab, server, hash);
  if (until) await playUntil(tab, until, 120000);
  await tab.evaluate(() => window.taut?.viewer.player.setSpeed(1));
  await act(tab);
  await tab.waitForTimeout(800); // plots are drawn a few times per second
  await tab.screenshot({ path: join(here, `${name}.png`) });
  console.log(name);
  await context.close();
}
await server.stop();
await browser.close();
