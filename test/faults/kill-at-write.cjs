/**
 * Loaded before the program (`node --require`). Counts what it changes below SVC_TEST_BELOW and kills the process right
 * before change number SVC_TEST_KILL_AT. Without that number, the count is written to SVC_TEST_COUNT at the end.
 */
const fs = require('node:fs')
const { appendFileSync, writeFileSync } = fs
const below = process.env.SVC_TEST_BELOW
const target = Number(process.env.SVC_TEST_KILL_AT ?? 'NaN')
/** What is rebuilt at the next start, or thrown away. */
const passing = /[\\/](cache|logs|staging|run)([\\/]|$)/
const writing = {
  renameSync: [0, 1],
  symlinkSync: [1],
  rmSync: [0],
  writeFileSync: [0],
  mkdirSync: [0],
  cpSync: [1],
  copyFileSync: [1],
  rmdirSync: [0],
  openSync: [0],
}
const seen = []

for (const [name, places] of Object.entries(writing)) {
  const real = fs[name]
  fs[name] = (...given) => {
    const paths = places.map((at) => String(given[at])).filter((path) => path.startsWith(below))
    const isRead = name === 'openSync' && (given[1] ?? 'r') === 'r'
    if (!isRead && paths.some((path) => !passing.test(path.slice(below.length)))) {
      seen.push(`${name} ${paths.join(' ')}`)
      if (seen.length === target) {
        if (process.env.SVC_TEST_COUNT) appendFileSync(process.env.SVC_TEST_COUNT, `${seen.at(-1)}\n`)
        process.kill(process.pid, 'SIGKILL')
      }
    }
    return real(...given)
  }
}
if (Number.isNaN(target)) process.on('exit', () => writeFileSync(process.env.SVC_TEST_COUNT, seen.join('\n')))
