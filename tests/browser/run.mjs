// Tests of the viewer's page in headless Chromium:
//
//   node tests/browser/run.mjs --taut build/release/bin/taut [--only NAME]
//
// Builds the page first. Exit code 77: there is no Chromium.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cases } from './cases/list.mjs';
import { startServer } from './server.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const web = resolve(here, '../../web');
const argument = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at > 0 ? process.argv[at + 1] : otherwise;
};
const taut = resolve(argument('taut', join(here, '../../build/release/bin/taut')));
const page = resolve(argument('web', join(here, '../../build/web')));
const only = argument('only', '');
const browserPath = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join('/usr/bin', name)).find(existsSync);
if (!browserPath) {
  console.log('skipped: there is no Chromium in /usr/bin');
  process.exit(77);
}
if (!existsSync(join(web, 'node_modules/playwright-core'))) execFileSync('npm', ['ci'], { cwd: web, stdio: 'inherit' });
execFileSync(process.execPath, [join(web, 'build.mjs'), '--out', page], { stdio: 'inherit' });
execFileSync(process.execPath, [join(web, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', web], { stdio: 'inherit' });

const { chromium } = createRequire(join(web, 'package.json'))('playwright-core');
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const server = await startServer(taut, page);
let failures = 0;
for (const [name, test] of Object.entries(cases)) {
  if (!name.includes(only)) continue;
  const context = await browser.newContext({ viewport: { width: 900, height: 600 }, colorScheme: 'light' });
  context.setDefaultTimeout(40000);
  const start = Date.now();
  let said = 'ok  ';
  try {
    await test({ browser, context, server, taut, web: page, startServer });
  } catch (error) {
    ++failures;
    said = 'FAIL';
    console.log(`${name}: ${error.stack ?? error}`);
    const pages = context.pages();
    const picture = argument('pictures', '');
    if (picture && pages[0]) await pages[0].screenshot({ path: join(picture, `${name}.png`) }).catch(() => undefined);
  }
  console.log(`${said} ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  await context.close();
}
await server.stop();
await browser.close();
process.exit(failures ? 1 : 0);
