/**
 * `npm run test:mutations [-- NAME...]`: applies the listed mutations one by one to a copy of the checkout and runs their
 * tests. A name is that of a mutation or of a list. Exits with 1 when one survives that should not, or the other way round.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

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

const copy = copyOfCheckout()
process.on('exit', () => rmSync(copy, { recursive: true, force: true, maxRetries: 3 }))
process.on('SIGINT', () => process.exit(130))
build()
refuseBroken([...new Set(chosen.flatMap(({ tests }) => tests))])
const results = chosen.map((mutation, index) => {
  const { name, survives = false } = mutation
  const isKilled = run(mutation)
  const isRight = isKilled !== survives
  console.error(
    `${index + 1}/${chosen.length} ${name}: ${isKilled ? 'killed' : 'survives'}${isRight ? '' : ', which is wrong'}`,
  )
  return { name, isKilled, isRight }
})
const killed = results.filter(({ isKilled }) => isKilled).length
if (isJson) console.log(JSON.stringify(results, undefined, 2))
else console.log(`${killed} of ${results.length} mutations killed (${Math.round((killed / results.length) * 100)} %)`)
process.exitCode = results.every(({ isRight }) => isRight) ? 0 : 1

/** What git knows, and the changes that are not committed yet. */
function copyOfCheckout() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mutations-'))
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
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

/** What fails without a mutation would count as a kill of all of them. */
function refuseBroken(tests) {
  if (!fails(tests)) return
  console.error(`These tests fail without any mutation; make them pass first: ${tests.join(' ')}`)
  process.exit(1)
}

function fails(tests) {
  const options = { cwd: copy, stdio: 'ignore', timeout: LIMIT_MS * tests.length }
  return spawnSync('npx', ['vitest', 'run', '--bail=1', ...tests], options).status !== 0
}

/** Whether a test fails. */
function run(mutation) {
  const path = join(copy, mutation.file)
  const text = readFileSync(path, 'utf8')
  if (text.split(mutation.from).length !== 2) throw new Error(`${mutation.name} does not fit ${mutation.file}`)
  writeFileSync(
    path,
    text.replace(mutation.from, () => mutation.to),
  )
  if (needsBuild(mutation)) build()
  try {
    return fails(mutation.tests)
  } finally {
    writeFileSync(path, text)
    if (needsBuild(mutation)) build()
  }
}
