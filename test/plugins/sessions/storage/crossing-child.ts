/** Writes soon to one file and then to another one in the same round of the event loop, again and again; see `group-commit.test.ts`. */
import { SqliteStorage } from '../../../../plugins/sessions/storage/storage.ts'
import { scriptPorts } from './script-ports.ts'

const [first = '', second = '', rounds = ''] = process.argv.slice(2)
const migrations = ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)']
const storage = new SqliteStorage(scriptPorts())
const [one, other] = [first, second].map((file) => storage.open({ file, migrations }))
let slowest = 0
for (let round = 0; round < Number(rounds); round++) {
  const begin = process.hrtime.bigint()
  for (const database of [one, other])
    database?.transaction(
      () => database.prepare('INSERT INTO notes (text) VALUES (?)').run(`${process.pid} ${round}`),
      {
        soon: true,
      },
    )
  slowest = Math.max(slowest, Number(process.hrtime.bigint() - begin) / 1e6)
  await new Promise((resolve) => setImmediate(resolve))
}
await storage.close()
process.stdout.write(String(Math.round(slowest)))
