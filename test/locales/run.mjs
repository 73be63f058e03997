/**
 * `npm run locales [-- DIR]`: removes unused texts from all languages, completes what needs no translator, and lists what is
 * missing. With DIR the missing texts are written to DIR/<locale>.json with empty translations; the next run takes those that
 * were filled in. `npm run locales -- --check` changes nothing and exits with 1 when anything is missing or unused: it runs
 * before a release.
 */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const root = resolve(import.meta.dirname, '../..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false } },
})
const [folder] = positionals
const env = {
  ...process.env,
  SVC_LOCALES: values.check ? 'check' : 'write',
  ...(folder && { SVC_LOCALES_DIR: resolve(folder) }),
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const args = [vitest, 'run', 'test/locales/completion.test.ts', '--project=quick', '--disableConsoleIntercept=true']
spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).once('exit', (code) => process.exit(code ?? 1))
