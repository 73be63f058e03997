/** A process that records messages and prints the number of each once `record` has returned; see `search.test.ts`. */
import { writeSync } from 'node:fs'
import { systemProcesses } from '../../../../plugins/sessions/sessions/processes.ts'
import { SessionStore } from '../../../../plugins/sessions/sessions/store.ts'
import { SqliteStorage } from '../../../../plugins/sessions/storage/storage.ts'
import { scriptPorts } from '../storage/script-ports.ts'

const [file = '', id = ''] = process.argv.slice(2)
const ports = scriptPorts()
const storage = new SqliteStorage(ports)
const store = new SessionStore({
  ...ports,
  storage: () => storage,
  file,
  processes: systemProcesses(ports.clock),
  trash: '',
})
const session = store.open(id)
for (let i = 0; i < 100; i++) {
  session.record({ turnId: 't-child', events: [], messages: [{ role: 'user', text: `fromthechild${i}end` }] })
  if (store.search('fromtheparent').length > 20) throw new Error('more hits than asked for')
  writeSync(1, `${i}\n`)
}
