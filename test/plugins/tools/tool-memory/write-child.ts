/** A process that remembers five things; see `memory.test.ts`. */
import { join } from 'node:path'
import type { ToolContext } from 'svc/sdk'
import { SqliteStorage } from '../../../../plugins/sessions/storage/storage.ts'
import { remember } from '../../../../plugins/tools/tool-memory/remember.ts'
import { scriptPorts } from '../../sessions/storage/script-ports.ts'

const [folder = '', name = ''] = process.argv.slice(2)
const ports = scriptPorts()
const storage = new SqliteStorage(ports)
const host = {
  folder: () => folder,
  limits: { memory: 2200, user: 1375 },
  storage: () => storage,
  lockFile: join(folder, '..', 'lock.db'),
  random: () => ports.random,
  mask: (text: string) => text,
  warn: (text: string) => ports.log.warn(text),
}
const turn = { origins: () => [] } as unknown as ToolContext
for (let n = 1; n <= 5; n++) {
  const { result } = await remember(host, { action: 'add', target: 'memory', content: `${name} ${n}` }, turn)
  if (result.failed) throw new Error(result.text)
}
