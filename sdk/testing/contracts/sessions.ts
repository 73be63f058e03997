/** What `Sessions` promises to the agent and to front ends. */
import assert from 'node:assert/strict'
import { errorCode } from '../../errors.ts'
import type { Session, Sessions } from '../../sessions.ts'
import type { TurnEventData } from '../../turn-events.ts'
import { type ContractCase, refusal } from './contract.ts'
import type { MakeStore, Shelf } from './shelf.ts'

const start: TurnEventData = { type: 'turn.start', text: 'hi', provider: 'fake', model: 'fake-1' }
const answer: TurnEventData = { type: 'message.complete', text: 'hello' }
const end: TurnEventData = { type: 'turn.end', reason: 'completed', usage: { input: 3, output: 2 } }
const place = { surface: 'cli', cwd: '/somewhere' }

/** The cases that a provider of the service `sessions` passes. */
export function sessionsCases(make: MakeStore<Sessions>): ContractCase[] {
  const examine = (name: string, run: (shelf: Shelf<Sessions>) => Promise<void>): ContractCase => ({
    name,
    run: () => make(run),
  })
  return [
    examine('a session is there after the end of the program, with all that was recorded', outlives),
    examine('places in the journal count up by one, across the end of the program', countsWithoutGaps),
    examine('events can be read from any place on', readsFromAnywhere),
    examine('sessions do not mix', keepsApart),
    examine('the system prompt is set once', keepsPrompt),
    examine('summaries count messages and tokens', summarises),
    examine('the session used last is found, by surface and by folder', findsLatest),
    examine('a session that does not exist is refused with its code', refusesUnknown),
  ]
}

function turn(session: Session, turnId: string): void {
  session.record({ turnId, events: [start], messages: [{ role: 'user', text: 'hi' }], sync: true })
  session.record({ turnId, events: [answer, end], messages: [{ role: 'assistant', text: 'hello' }], sync: true })
}

async function outlives(shelf: Shelf<Sessions>): Promise<void> {
  const { id } = record(shelf)
  await shelf.reopen()
  const again = shelf.service.open(id)
  assert.deepEqual([again.id, again.cwd], [id, place.cwd])
  assert.deepEqual(again.messages(), [
    { role: 'user', text: 'hi' },
    { role: 'assistant', text: 'hello' },
  ])
  const first = again.events()[0]
  assert.deepEqual(first, { ...start, sessionId: id, turnId: 'turn-1', seq: first?.seq })
}

/** A session with one whole turn. */
function record(shelf: Shelf<Sessions>): Session {
  const session = shelf.service.create(place)
  turn(session, 'turn-1')
  return session
}

async function countsWithoutGaps(shelf: Shelf<Sessions>): Promise<void> {
  const session = record(shelf)
  const shown = session.record({ turnId: 'turn-2', events: [start, answer, end] })
  await shelf.reopen()
  const more = shelf.service.open(session.id).record({ turnId: 'turn-3', events: [start, answer, end] })
  const seqs = [...shown, ...more].map(({ seq }) => seq)
  assert.deepEqual(
    seqs,
    seqs.map((_, at) => (seqs[0] ?? 0) + at),
    'seq has a gap or a repetition',
  )
}

async function readsFromAnywhere(shelf: Shelf<Sessions>): Promise<void> {
  const session = record(shelf)
  const all = session.events()
  assert.deepEqual(
    all.map(({ type }) => type),
    ['turn.start', 'message.complete', 'turn.end'],
  )
  assert.deepEqual(session.events(all[0]?.seq), all.slice(1))
  assert.deepEqual(session.events(all.at(-1)?.seq), [])
}

async function keepsApart(shelf: Shelf<Sessions>): Promise<void> {
  const [one, two] = [record(shelf), shelf.service.create(place)]
  assert.notEqual(one.id, two.id)
  assert.deepEqual([two.messages(), two.events()], [[], []])
  turn(two, 'turn-1')
  assert.equal(one.events().length, 3)
}

async function keepsPrompt(shelf: Shelf<Sessions>): Promise<void> {
  const session = shelf.service.create(place)
  assert.equal(session.systemPrompt(), undefined)
  session.setSystemPrompt('You are first.')
  try {
    session.setSystemPrompt('You are second.')
  } catch (error) {
    assert.notEqual(errorCode(error), 'INTERNAL', `a second prompt is refused without a code: ${error}`)
  }
  await shelf.reopen()
  assert.equal(shelf.service.open(session.id).systemPrompt(), 'You are first.')
}

async function summarises(shelf: Shelf<Sessions>): Promise<void> {
  const { id } = record(shelf)
  const summary = shelf.service.list().find((each) => each.id === id)
  assert.ok(summary, 'a session is not listed')
  assert.deepEqual([summary.messageCount, summary.usage.input, summary.usage.output], [2, 3, 2])
  assert.deepEqual([summary.surface, summary.cwd], [place.surface, place.cwd])
  assert.ok(summary.updatedAt >= summary.createdAt, 'it was used before it was made')
  shelf.service.create(place)
  assert.equal(shelf.service.list({ limit: 1 }).length, 1, 'list() gives more than was asked for')
}

async function findsLatest({ service }: Shelf<Sessions>): Promise<void> {
  assert.equal(service.latest(), undefined)
  const phone = service.create({ surface: 'phone', cwd: '/a' })
  turn(phone, 'turn-1')
  const cli = service.create({ surface: 'cli', cwd: '/b' })
  turn(cli, 'turn-1')
  assert.equal(service.latest({ surface: 'phone' })?.id, phone.id)
  assert.equal(service.latest({ cwd: '/b' })?.id, cli.id)
  assert.equal(service.latest({ surface: 'phone', cwd: '/b' }), undefined)
}

async function refusesUnknown({ service }: Shelf<Sessions>): Promise<void> {
  assert.equal(errorCode(await refusal('an unknown session', () => service.open('nobody'))), 'SESSION_NOT_FOUND')
}
