/** `npm run pictures`: bundles the story, plays it in the built program and writes what is on the screen beside this file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const here = import.meta.dirname
const temporary = mkdtempSync(join(tmpdir(), 'svc-pictures-'))
process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }))
process.on('SIGINT', () => process.exit(130))
const outfile = join(temporary, 'main.mjs')
await build({
  entryPoints: [join(here, 'main.ts')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
})
const { main } = await import(pathToFileURL(outfile))
await main({ program: resolve(here, '../../dist/kernel/bin.cjs'), pictures: process.argv[2] ?? here })
