/** A process that records turns and prints each event once `record` has returned; see `kill.test.ts`. */
import { writeSync } from 'node:fs'
import type { Session, TurnEventData } from 'svc/sdk'
import { systemProcesses } from '../../../../plugins/sessions/sessions/processes.ts'
import { SessionStore } from '../../../../plugins/sessions/sessions/store.ts'
import { SqliteStorage } from '../../../../plugins/sessions/storage/storage.ts'
import { scriptPorts } from '../storage/script-ports.ts'

const [file = '', id = '', mode = ''] = process.argv.slice(2)
const ports = scriptPorts()
const storage = new SqliteStorage(ports)
const processes = systemProcesses(ports.clock)
const store = new SessionStore({ ...ports, storage: () => storage, file, processes, trash: '' })

function say(
  session: Session,
  turnId: string,
  events: TurnEventData[],
  ...more: { role: 'user' | 'assistant' }[]
): void {
  const messages = more.map(({ role }) => ({ role, text: `${turnId} said` }))
  const sync = messages.length > 0
  for (const event of session.record({ turnId, events, messages, sync })) writeSync(1, `${JSON.stringify(event)}\n`)
}

function turn(session: Session, turnId: string): void {
  const callId = `${turnId}.call`
  const call = { id: callId, name: 'look', input: {} }
  say(session, turnId, [{ type: 'turn.start', text: 'hi', provider: 'p', model: 'm' }], { role: 'user' })
  for (let i = 0; i < 20; i++) say(session, turnId, [{ type: 'message.delta', text: `${i} ` }])
  const begun = session.record({
    turnId,
    events: [{ type: 'tool.start', callId, name: 'look', input: {} }],
    messages: [{ role: 'assistant', text: 'looking', toolCalls: [call] }],
  })
  for (const event of begun) writeSync(1, `${JSON.stringify(event)}\n`)
  for (let i = 0; i < 5; i++) say(session, turnId, [{ type: 'tool.progress', callId, text: `${i}` }])
  const done = { type: 'tool.complete', callId, name: 'look', ok: true, text: 'seen' } as const
  session.record({ turnId, events: [done], messages: [{ role: 'tool', callId, text: 'seen' }] })
  say(session, turnId, [{ type: 'message.complete', text: `${turnId} said` }], { role: 'assistant' })
  say(session, turnId, [{ type: 'turn.end', reason: 'completed', usage: { output: 1 } }])
}

const session = store.open(id)
if (mode === 'count') {
  for (let i = 0; i < 300; i++) say(session, `${process.pid}`, [{ type: 'notice', text: `${i}` }])
} else if (mode === 'hold') {
  say(session, 'held', [{ type: 'turn.start', text: 'hi', provider: 'p', model: 'm' }], { role: 'user' })
  setInterval(() => {}, 1000)
} else {
  for (let i = 0; ; i++) turn(session, `${process.pid}.${i}`)
}
