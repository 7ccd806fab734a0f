// Bundles the page into build/web: node build.mjs [--watch] [--out FOLDER]
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, context } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const outAt = process.argv.indexOf('--out');
const out = resolve(outAt > 0 ? process.argv[outAt + 1] : join(here, '../build/web'));
const isWatching = process.argv.includes('--watch');

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
for (const file of ['index.html', 'icon.svg']) await copyFile(join(here, 'static', file), join(out, file));

const options = {
  entryPoints: [join(here, 'src/page.ts'), join(here, 'style/page.css')],
  entryNames: '[name]',
  outdir: out,
  bundle: true,
  minify: !isWatching,
  sourcemap: isWatching,
  format: 'esm',
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
};
if (isWatching) await (await context(options)).watch();
else await build(options);

// Bundled libraries come with their licences.
const licences = await Promise.all(
  ['three', 'uplot'].map(async (name) => `${name}\n\n${await readFile(join(here, 'node_modules', name, 'LICENSE'), 'utf8')}`),
);
await writeFile(join(out, 'licences.txt'), licences.join('\n\n'));
