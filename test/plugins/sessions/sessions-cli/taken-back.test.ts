/** What was taken back (/undo, /retry, an edited question) leaves this machine in no export. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Message, type Session, Sessions } from 'svc/sdk'
import { describe, expect, it } from 'vitest'
import { sessionsKernel } from './support.ts'

const SECRET = 'hunter2'

/** A turn with events that hold its words as well. */
function turn(session: Session, turnId: string, question: string, answer: string): void {
  const said: Message[] = [
    { role: 'user', text: question },
    { role: 'assistant', text: answer },
  ]
  session.record({
    turnId,
    events: [{ type: 'turn.start', text: question, provider: 'p', model: 'm' }],
    messages: said.slice(0, 1),
  })
  session.record({ turnId, events: [{ type: 'message.delta', text: answer }] })
  session.record({ turnId, events: [{ type: 'message.complete', text: answer }], messages: said.slice(1) })
  session.record({ turnId, events: [{ type: 'turn.end', reason: 'completed', usage: {} }] })
}

function talked(sessions: Sessions, ...questions: string[]): Session {
  const session = sessions.create({ surface: 'cli', cwd: '/work' })
  for (const [at, question] of questions.entries()) turn(session, `turn_${at}`, question, `answer to: ${question}`)
  return session
}

describe('an export of a conversation in which something was taken back', () => {
  it.each(['jsonl', 'md', 'html'])('has nothing of it as %s', async (format) => {
    await using fixture = await sessionsKernel()
    const session = talked(fixture.sessions, 'hello', `my password is ${SECRET}`)
    session.rewind(2)
    turn(session, 'turn_after', 'and now?', 'fine')
    const { out, code } = await fixture.svc(['export', session.id, '--format', format])
    expect(code).toBe(0)
    expect(out).not.toContain(SECRET)
    expect(out).toContain('answer to: hello')
    expect(out).toContain('and now?')
  })

  it('is read like the conversation where it is imported, and can be continued and taken back further', async () => {
    await using from = await sessionsKernel()
    const session = talked(from.sessions, 'one', 'two', `three ${SECRET}`)
    session.rewind(4)
    turn(session, 'turn_a', 'four', 'done')
    session.compress({ from: 0, to: 2, summary: [{ role: 'user', text: 'a summary' }] })
    const file = join(from.kernel.home, 'talk.jsonl')
    expect(await from.svc(['export', session.id, '--output', file])).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).not.toContain(SECRET)
    await using to = await sessionsKernel()
    expect(await to.svc(['import', file])).toMatchObject({ code: 0 })
    const copy = to.sessions.open(session.id)
    expect(copy.messages()).toEqual(session.messages())
    expect(copy.unwind()).toBe(0)
    expect(copy.rewind(1).map(({ text }) => text)).toEqual(session.rewind(1).map(({ text }) => text))
  })

  it('keeps a summary of which only the end was taken back', async () => {
    await using fixture = await sessionsKernel()
    const session = talked(fixture.sessions, 'one', 'two', `three ${SECRET}`)
    const [, , , , question, answer] = session.messages()
    const summary = [{ role: 'user', text: 'a summary' } as const, question as Message, answer as Message]
    session.compress({ from: 0, to: 6, summary })
    session.rewind(1)
    const { out } = await fixture.svc(['export', session.id])
    expect(out).not.toContain(SECRET)
    expect(out).toContain('a summary')
  })

  it('has no title that was the beginning of the message', async () => {
    await using fixture = await sessionsKernel()
    const session = talked(fixture.sessions, `my password is ${SECRET}`)
    session.rewind(0)
    turn(session, 'turn_after', 'hello', 'hi')
    expect((await fixture.svc(['export', session.id])).out).not.toContain(SECRET)
    expect((await fixture.svc(['show', session.id])).out).not.toContain(SECRET)
  })

  it('stays whole in the copy that a removal keeps, so that it can be brought back', async () => {
    await using fixture = await sessionsKernel()
    const session = talked(fixture.sessions, 'hello', `my password is ${SECRET}`)
    session.rewind(2)
    await fixture.svc(['delete', session.id, '--yes'])
    const [copy = ''] = fixture.trash()
    await fixture.svc(['import', copy])
    expect(fixture.kernel.use(Sessions).open(session.id).unwind()).toBe(2)
  })
})
