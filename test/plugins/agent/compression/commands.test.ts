import fc from 'fast-check'
import { isConversationSummary } from 'svc/sdk/sessions'
import { fakeTalk } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { readCompress } from '../../../../plugins/agent/compression/commands.ts'
import { createConversation, open, RECORD, write } from './scene.ts'

describe('the text behind /compress', () => {
  test.for([
    ['', {}],
    ['the parser and its tests', { focus: 'the parser and its tests' }],
    ['here', { keep: 2 }],
    ['here 5', { keep: 5 }],
    ['up to here 3', { keep: 3 }],
    ['UP TO HERE', { keep: 2 }],
    ['here many', { keep: 2 }],
    ['here 0', { keep: 1 }],
    ['here -4', { keep: 1 }],
    ['here 1000', { keep: 100 }],
    ['here is what matters most', { focus: 'here is what matters most' }],
    ['--keep 4', { keep: 4 }],
    ['--keep=4', { keep: 4 }],
    ['--keep', { keep: 2 }],
    ['--keep=x', { keep: 2 }],
    ['-k 7', { keep: 7 }],
    ['-k 2.5', { keep: 2 }],
    ['the parser --keep 4', { keep: 4, focus: 'the parser' }],
    ['--preview', { preview: true }],
    ['--dry-run here 3', { preview: true, keep: 3 }],
    ['--dryrun', { preview: true }],
    ['the parser --PREVIEW', { preview: true, focus: 'the parser' }],
    ['--aggressive', {}],
  ] as const)('"%s"', ([text, options]) => {
    expect(readCompress(text)).toEqual(options)
  })

  test('asks for something sensible, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { keep = 2, focus = 'x' } = readCompress(text)
        expect(Number.isInteger(keep) && keep >= 1 && keep <= 100 && focus.trim() !== '').toBe(true)
      }),
    )
  })
})

describe('a person types it', () => {
  const scene = () => open({ plugins: ['conversation'] })

  test('the older part is summed up, with the focus, far below any threshold, and the front end hears of it', async () => {
    const { kernel, begin, orders } = await scene()
    const session = begin(createConversation(8, 400))
    const talk = fakeTalk(kernel, { sessionId: session.id })
    const said = await talk.type('/compress the parser')
    expect(said).toMatch(/^Compressed from 16 to \d+ messages .* Summarized by fake-1 \(fake\)\.$/)
    expect(talk.changes).toContain('messages')
    expect(orders()[0]?.messages.at(-1)?.text).toContain('<focus>\nthe parser\n</focus>')
    expect(session.messages().filter(isConversationSummary)).toHaveLength(1)
    expect(session.messages().at(-1)).toEqual(createConversation(8, 400).at(-1))
  })

  test('a preview says numbers and changes nothing; no one is asked', async () => {
    const { kernel, begin, orders } = await scene()
    const session = begin(createConversation(8, 400))
    const talk = fakeTalk(kernel, { sessionId: session.id })
    expect(await talk.type('/compact --preview')).toMatch(
      /^It would go from 16 to \d+ messages .*Nothing was changed\.$/,
    )
    expect(session.messages()).toEqual(createConversation(8, 400))
    expect([...orders(), ...talk.changes.filter((change) => change === 'messages')]).toEqual([])
  })

  test('the last exchanges stay word for word, as many as were asked for', async () => {
    const { kernel, begin } = await scene()
    const session = begin(createConversation(8, 400))
    await fakeTalk(kernel, { sessionId: session.id }).type('/compress here 3')
    expect(session.messages().slice(-6)).toEqual(createConversation(8, 400).slice(-6))
    expect(session.messages().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      ...Array.from({ length: 3 }, () => ['user', 'assistant']).flat(),
    ])
  })

  test('a conversation that is too short is left alone, and that is said', async () => {
    const { kernel, begin } = await scene()
    const session = begin(createConversation(1, 100))
    const talk = fakeTalk(kernel, { sessionId: session.id })
    expect(await talk.type('/compress')).toMatch(/^Not compressed: There is too little to leave out/)
    expect(await talk.type('/compress --preview')).toMatch(/^Not compressed: There is too little to leave out/)
  })

  test('where a summary would be longer than what it replaces, that is said and no one is asked', async () => {
    const { kernel, begin, orders } = await scene()
    const session = begin(createConversation(5, 4))
    const talk = fakeTalk(kernel, { sessionId: session.id })
    for (const line of ['/compress', '/compress --preview'])
      expect(await talk.type(line)).toMatch(
        /^There is nothing to gain yet: the conversation has only about \d+ tokens\.$/,
      )
    expect([session.messages(), orders()]).toEqual([createConversation(5, 4), []])
  })

  test('a failure says what the model said and changes nothing; it does not keep anyone from trying again', async () => {
    const { kernel, begin } = await open({
      plugins: ['conversation'],
      order: (_, call) => (call === 0 ? { failure: { kind: 'auth', message: 'Bad key.' } } : RECORD),
      config: { auxiliary: { transient_retries: 0 } },
    })
    const session = begin(createConversation(8, 400))
    const talk = fakeTalk(kernel, { sessionId: session.id })
    expect(await talk.type('/compress')).toMatch(/^Not compressed: No summary was written.*Bad key\./)
    expect(session.messages()).toEqual(createConversation(8, 400))
    expect(await talk.type('/compress')).toMatch(/^Compressed/)
    write(session, createConversation(8, 400))
    expect(await talk.type('/compress')).toMatch(/^Compressed/)
  })
})
