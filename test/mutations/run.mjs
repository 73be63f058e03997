/**
 * `npm run test:mutations [-- NAME...] [--json] [--fresh]`: applies the listed mutations one by one to a copy of the checkout
 * and runs their tests. A name is that of a mutation or of a list. Results are kept below `node_modules/.cache`, so a run that
 * was ended is continued by the same command; `--fresh` starts over. Exits with 1 when a mutation survives that is listed as
 * killed, or the other way round, or could not be measured.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { Results } from './results.mjs'

const root = resolve(import.meta.dirname, '../..')
const LIMIT_MS = 300_000
/** Their tests run the built program, or both. */
const needsBuild = ({ tests }) => tests.some((path) => /^test\/(faults|scenarios)\//.test(path))

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const isJson = process.argv.includes('--json')
const chosen = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .flatMap((name) => {
    const list = JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'))
    const isList = wanted.length === 0 || wanted.includes(name.slice(0, -'.json'.length))
    return list.filter((mutation) => isList || wanted.includes(mutation.name))
  })
if (chosen.length === 0) {
  console.error(`No mutation has one of these names: ${wanted.join(', ')}. The lists are in test/mutations.`)
  process.exit(1)
}

const isFresh = process.argv.includes('--fresh')
const known = new Results(root, join(root, 'node_modules/.cache/svc-mutations.jsonl'), isFresh)
const copy = copyOfCheckout()
process.on('exit', () => rmSync(copy, { recursive: true, force: true, maxRetries: 3 }))
process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))

const broken = brokenTests(chosen.filter((mutation) => !known.find(mutation)))
const startedAt = Date.now()
let measured = 0
const results = chosen.map((mutation, index) => {
  const { name, survives = false } = mutation
  const result = known.find(mutation) ?? measure(mutation)
  const isRight = result.isKilled === !survives
  const verdict = result.isKilled === undefined ? 'not measured' : result.isKilled ? 'killed' : 'survives'
  const reason = result.by ? ` (${result.by})` : ''
  console.error(
    `${index + 1}/${chosen.length} ${name}: ${verdict}${reason}${isRight ? '' : ', which is wrong'}${left(index)}`,
  )
  return { name, isKilled: result.isKilled, by: result.by, isRight }
})
const killed = results.filter(({ isKilled }) => isKilled).length
if (isJson) console.log(JSON.stringify(results, undefined, 2))
else console.log(`${killed} of ${results.length} mutations killed (${Math.round((killed / results.length) * 100)} %)`)
process.exitCode = results.every(({ isRight }) => isRight) ? 0 : 1

/** What git knows, and the changes that are not committed yet. */
function copyOfCheckout() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mutations-'))
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: Number.POSITIVE_INFINITY,
  })
  for (const path of stdout.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { force: true, verbatimSymlinks: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function build() {
  spawnSync(process.execPath, ['.ci/build.mjs', '--if-stale'], { cwd: copy, stdio: 'ignore' })
}

/** Files of tests that fail without any mutation: their failure would count as a kill. */
function brokenTests(toMeasure) {
  const tests = [...new Set(toMeasure.flatMap((mutation) => mutation.tests))]
  if (tests.length === 0) return new Set()
  build()
  console.error(`Running ${tests.length} test files without a mutation`)
  if (failure(tests, false) === undefined) return new Set()
  const failing = tests.filter((path) => failure([path], true) !== undefined)
  if (failing.length > 0) console.error(`These fail without a mutation and measure nothing: ${failing.join(' ')}`)
  return new Set(failing)
}

/** Which test failed first, if one did. */
function failure(tests, isBail) {
  const report = join(copy, '.mutation-report.json')
  rmSync(report, { force: true })
  const options = { cwd: copy, stdio: 'ignore', timeout: LIMIT_MS * tests.length }
  const reporter = ['--reporter=json', `--outputFile=${report}`]
  const { status } = spawnSync(
    'npx',
    ['vitest', 'run', ...(isBail ? ['--bail=1'] : []), ...reporter, ...tests],
    options,
  )
  if (status === 0) return undefined
  return firstFailure(report) ?? (status === null ? 'time limit' : 'the tests could not be loaded')
}

function firstFailure(report) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const file = testResults.find(({ status }) => status === 'failed')
    const failed = file?.assertionResults.find(({ status }) => status === 'failed')
    return file && `${relative(copy, file.name)}${failed ? `: ${failed.title}` : ''}`
  } catch {
    return undefined
  }
}

function measure(mutation) {
  if (mutation.tests.some((path) => broken.has(path))) return { isKilled: undefined, by: 'its tests fail without it' }
  measured += 1
  const by = failureWith(mutation)
  const result = { isKilled: by !== undefined, by }
  known.add(mutation, result)
  return result
}

/** The test that notices the mutation. */
function failureWith(mutation) {
  const path = join(copy, mutation.file)
  const text = readFileSync(path, 'utf8')
  if (text.split(mutation.from).length !== 2) throw new Error(`${mutation.name} does not fit ${mutation.file}`)
  writeFileSync(
    path,
    text.replace(mutation.from, () => mutation.to),
  )
  if (needsBuild(mutation)) build()
  try {
    return failure(mutation.tests, true)
  } finally {
    writeFileSync(path, text)
    if (needsBuild(mutation)) build()
  }
}

function left(index) {
  const remaining = chosen.slice(index + 1).filter((mutation) => !known.find(mutation)).length
  if (measured === 0 || remaining === 0) return ''
  const minutes = Math.ceil(((Date.now() - startedAt) / measured / 60_000) * remaining)
  return `; about ${minutes} min left`
}
