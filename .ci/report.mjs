/**
 * Reads the JSON reports of vitest.
 *
 *   report.mjs files REPORT…               test files with failures, a line each
 *   report.mjs sum CHECK [CODE REPORT]…    failures, slow files and, as the last line, the true counts; exits with 1 unless all is well
 *
 * CHECK and CODE are exit codes: of the check, and of the run that wrote the report. `AGAIN` in the environment names the report of a second
 * run of files with failures: a test that failed beside others and passes alone is named as unsteady, and does not fail the run.
 */
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const SLOWEST = 15
const MESSAGE_LINES = 6

function read(file) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text ? JSON.parse(text) : { numPassedTests: 0, testResults: [], isMissing: true }
}

/** Failed tests, and files that failed before their first test. */
function listFailures({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (failed.length === 0 && status === 'failed') return [{ file, test: '(the file)', message }]
    return failed.map(({ fullName, failureMessages }) => ({
      file,
      test: fullName,
      message: failureMessages.join('\n'),
    }))
  })
}

function say({ file, test, message }, title) {
  const lines = String(message).split('\n').slice(0, MESSAGE_LINES)
  process.stdout.write(`${title} ${file} > ${test}\n${lines.map((line) => `    ${line}`).join('\n')}\n`)
}

const [, , what, ...rest] = process.argv
if (what === 'files') {
  const files = rest.flatMap((file) => listFailures(read(file)).map((failure) => failure.file))
  process.stdout.write([...new Set(files)].join('\n'))
} else {
  const [check, ...pairs] = rest
  const runs = pairs.flatMap((code, at) => (at % 2 === 0 ? [{ code, ...read(pairs[at + 1]) }] : []))
  const failures = runs.flatMap(listFailures)
  const again = process.env.AGAIN && read(process.env.AGAIN)
  const isPassedNow = ({ file, test }) =>
    again?.testResults.some(({ name, assertionResults }) => {
      const isFile = relative(process.cwd(), name) === file
      return isFile && assertionResults.some((each) => each.fullName === test && each.status === 'passed')
    }) ?? false
  const unsteady = failures.filter(isPassedNow)
  const failed = failures.filter((failure) => !isPassedNow(failure))
  const slowest = runs
    .flatMap(({ testResults }) => testResults)
    .map(({ name, startTime, endTime }) => [Math.round((endTime - startTime) / 1000), relative(process.cwd(), name)])
    .sort(([one], [two]) => two - one)
    .slice(0, SLOWEST)
  process.stdout.write(
    `\nThe slowest files\n${slowest.map(([s, name]) => `  ${String(s).padStart(4)} s  ${name}`).join('\n')}\n\n`,
  )
  for (const failure of unsteady) say(failure, 'UNSTEADY (failed beside others, passed alone)')
  for (const failure of failed) say(failure, 'FAILED')
  if (check !== '0') process.stdout.write('FAILED npm run check\n')
  // Without a report, or for a reason that is in none.
  const broken = runs.filter((run) => run.isMissing || (run.code !== '0' && listFailures(run).length === 0))
  for (const { code } of broken) process.stdout.write(`FAILED a test run ended with the exit code ${code}\n`)
  const passed = runs.reduce(
    (sum, { numPassedTests }) => sum + numPassedTests,
    unsteady.length + (check === '0' ? 1 : 0),
  )
  const count = failed.length + broken.length + (check === '0' ? 0 : 1)
  process.stdout.write(`${passed} passed, ${count} failed\n`)
  process.exitCode = count === 0 ? 0 : 1
}
