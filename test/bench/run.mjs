/** `npm run bench`: bundles the bench and runs it. It reports and never fails a build: the exit code is 0. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const here = import.meta.dirname
const temporary = mkdtempSync(join(tmpdir(), 'svc-bench-'))
process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }))
process.on('SIGINT', () => process.exit(130))
try {
  // The driver of PostgreSQL is CommonJS: it stays outside and is found through this.
  symlinkSync(resolve(here, '../../node_modules'), join(temporary, 'node_modules'), 'junction')
  await build({
    entryPoints: ['main', 'measure', 'model-process'].map((name) => join(here, `${name}.ts`)),
    outdir: temporary,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    external: ['pg'],
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  })
  const scratch = join(temporary, 'scratch')
  mkdirSync(scratch)
  const { main } = await import(pathToFileURL(join(temporary, 'main.mjs')))
  await main(process.argv.slice(2), {
    root: resolve(here, '../..'),
    measure: join(temporary, 'measure.mjs'),
    modelProcess: join(temporary, 'model-process.mjs'),
    scratch,
  })
} catch (error) {
  console.error(error)
}
