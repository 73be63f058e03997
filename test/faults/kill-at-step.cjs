/**
 * Loaded before the program (`node --require`). Once told to begin, it counts steps: each file that is renamed into its place, each
 * commit of a database, and what a platform names. Kills the process right before step number SVC_TEST_KILL_AT; without that number
 * the steps are written to SVC_TEST_COUNT at the end.
 */
const fs = require('node:fs')
const Module = require('node:module')

const target = Number(process.env.SVC_TEST_KILL_AT ?? 'NaN')
/** What tells how the process is, and comes by the clock. */
const passing = /[\\/](cache|logs|run)[\\/]|gateway_state/
const seen = []
let counts = false

function step(what) {
  if (!counts) return
  seen.push(what)
  if (seen.length === target) process.kill(process.pid, 'SIGKILL')
}

globalThis.svcSteps = {
  step,
  begin() {
    counts = true
  },
}

const rename = fs.renameSync
fs.renameSync = (from, to) => {
  if (!passing.test(String(to))) step(`file ${String(to).split(/[\\/]/).slice(-3).join('/')}`)
  return rename(from, to)
}

/** A statement that is on disk when it returns, and a transaction before its end. */
function countStatements(Database) {
  const prepare = Database.prototype.prepare
  Database.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    const prototype = Object.getPrototypeOf(statement)
    Database.prototype.prepare = prepare
    for (const name of ['run', 'get', 'all']) {
      const real = prototype[name]
      prototype[name] = function (...values) {
        const isCommit = /^\s*COMMIT/i.test(this.source)
        if (isCommit || (!this.readonly && !this.database.inTransaction)) step(`commit ${describe(this.source)}`)
        return real.apply(this, values)
      }
    }
    return statement
  }
  const exec = Database.prototype.exec
  Database.prototype.exec = function (sql) {
    const isAlone = !this.inTransaction && !/^\s*(PRAGMA|BEGIN|SAVEPOINT)/i.test(sql)
    if (isAlone || /^\s*COMMIT/i.test(sql)) step(`commit ${describe(sql)}`)
    return exec.call(this, sql)
  }
}

function describe(sql) {
  return sql.trim().split(/\s+/).slice(0, 4).join(' ')
}

const load = Module._load
let patched
Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest)
  if (request === 'better-sqlite3' && loaded !== patched) {
    patched = loaded
    countStatements(loaded)
  }
  return loaded
}

if (Number.isNaN(target) && process.env.SVC_TEST_COUNT)
  process.on('exit', () => fs.appendFileSync(process.env.SVC_TEST_COUNT, seen.map((each) => `${each}\n`).join('')))
