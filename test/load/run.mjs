/**
 * `npm run test:load [-- --runs 3 --busy 4 FILE...]`: runs the quick tests, or these files of tests, several times in a row
 * while other processes keep the cores busy. Stops after the first run that fails, names the tests that failed, and exits
 * with 1. What passes only on an idle machine relies on luck.
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const root = resolve(import.meta.dirname, '../..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '3' }, busy: { type: 'string', default: '4' } },
})
const runs = count('runs', 1)
const busy = count('busy', 0)

const folder = mkdtempSync(join(tmpdir(), 'svc-load-'))
const processes = Array.from({ length: busy }, () => fork(join(import.meta.dirname, 'busy.mjs')))
process.on('exit', () => {
  for (const child of processes) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))

for (let run = 1; run <= runs; run++) {
  const { isGreen, passed, failed, seconds } = await tests()
  const load = loadavg()[0]?.toFixed(1)
  console.log(
    `run ${run} of ${runs}: ${passed} passed, ${failed.length} failed, ${seconds} s, load ${load}, ${busy} busy processes`,
  )
  if (isGreen) continue
  for (const name of failed) console.log(`  ${name}`)
  process.exit(1)
}
// The busy processes hold an IPC channel, which keeps this one running.
process.exit(0)

async function tests() {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const chosen = positionals.length > 0 ? positionals : ['--project', 'quick']
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
  const startedAt = Date.now()
  const child = spawn('npx', ['vitest', 'run', ...reporters, ...chosen], { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  return { isGreen: code === 0, seconds, ...read(report) }
}

function read(report) {
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    return { passed: numPassedTests, failed: testResults.flatMap(failuresOf) }
  } catch {
    return { passed: 0, failed: ['vitest wrote no report: see its output above'] }
  }
}

function failuresOf({ name, status, message, assertionResults }) {
  const path = relative(root, name)
  const failed = assertionResults.filter((test) => test.status === 'failed').map((test) => `${path}: ${test.fullName}`)
  return status === 'failed' && failed.length === 0 ? [`${path}: ${message.split('\n')[0]}`] : failed
}

function count(name, least) {
  const number = Number(values[name])
  if (Number.isInteger(number) && number >= least) return number
  console.error(`--${name} takes a whole number from ${least} on, not "${values[name]}".`)
  process.exit(2)
}
