import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import fc from 'fast-check'
import type { Message, Sessions } from 'svc/sdk'
import type { SessionArchive, SessionSearchResult } from 'svc/sdk/sessions'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrations } from '../../../../plugins/sessions/sessions/migrations.ts'
import { narrow } from '../../../../plugins/sessions/sessions/query.ts'
import { bundleScript } from '../storage/support.ts'
import { assistant, end, here, record, sessionsFixture, start, user } from './support.ts'

const script = await bundleScript(join(import.meta.dirname, 'search-child.ts'))

const withMessages = (...messages: Message[]) => {
  const fixture = sessionsFixture()
  const session = fixture.store.create(here)
  record(session, 't1', [start], messages)
  return { ...fixture, session }
}
const places = (hits: readonly SessionSearchResult[]) => hits.map(({ messageIndex }) => messageIndex)

/** Words of many scripts, and everything that full-text search, LIKE, JSON and regular expressions take for syntax. */
const pieces = [
  ...[
    'word',
    'Straße',
    'ΣΑΣ',
    'İstanbul',
    'ﬁnd',
    'naïve',
    'e\u0301',
    'ß',
    '日本語',
    '中',
    '한국어',
    'ไทย',
    '👩‍👩‍👧',
    '😀',
    '🇩🇪',
  ],
  ...['"', '""', "'", '*', '^', 'AND', 'OR', 'NOT', 'NEAR(a b, 2)', 'text:', '{text}:', '(', ')', '+', '-', ';--'],
  ...[
    '%',
    '_',
    '\\',
    '\\u0000',
    '\\\\',
    '/',
    '[a-z]',
    '$1',
    '$&',
    '|',
    '.',
    '?',
    '\0',
    '\n',
    '\t',
    '\u001b[2J',
    '\ufffd',
  ],
  ...['\ud83d', '\udc00', '>>>', '<<<', '…', '{"role":"user","text":"'],
]
const anyText = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 4 }), fc.constant(' ')), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.join(''))

describe('searching', () => {
  it('finds every piece of what was said, in whatever script and with whatever signs', () => {
    const { store, session } = withMessages(user('something else'), assistant('nothing of it'))
    let count = 2
    const cut = fc.tuple(anyText, fc.nat(), fc.integer({ min: 1, max: 12 }))
    fc.assert(
      fc.property(cut, ([text, from, length]) => {
        record(session, 't1', [], [user(text)])
        const index = count++
        const characters = [...text]
        const piece = characters
          .slice(from % characters.length)
          .slice(0, length)
          .join('')
        if (!piece.trim()) return
        expect(places(store.search(piece, { limit: 1 }))).toEqual([index])
        for (const word of text.split(/\s+/).filter(Boolean))
          expect(places(store.search(word, { limit: 1 }))).toEqual([index])
      }),
      { numRuns: 400 },
    )
  })

  it('never fails on what someone types, and every hit contains each word of it', () => {
    const { store } = withMessages(...pieces.map(user), user(pieces.join(' ')))
    const texts = [...pieces, pieces.join(' ')]
    fc.assert(
      fc.property(anyText, (query) => {
        const words = query.split(/\s+/).filter((word) => word && !word.includes('"'))
        for (const { messageIndex } of store.search(query))
          for (const word of words) expect(fold(texts[messageIndex] ?? '')).toContain(fold(word))
      }),
      { numRuns: 400 },
    )
    expect(store.search('')).toEqual([])
    expect(store.search(' \n\t ')).toEqual([])
    expect(store.search('word '.repeat(20_000)).length).toBeGreaterThan(0)
    expect(store.search('x'.repeat(100_000))).toEqual([])
  })

  it('takes capitals and small letters for the same, also where there are few of them', () => {
    const { store } = withMessages(user('Öl für die ÄRZTE'), assistant('Привет, МИР'))
    expect(places(store.search('öl'))).toEqual([0])
    expect(places(store.search('ärzte'))).toEqual([0])
    expect(places(store.search('ми'))).toEqual([1])
    expect(places(store.search('ПРИВЕТ'))).toEqual([1])
  })

  it('wants all words, wherever they stand, and a quoted text as it stands', () => {
    const { store } = withMessages(user('the build of the day is red'), user('red day'), user('blue'))
    expect(places(store.search('day red'))).toEqual([1, 0])
    expect(places(store.search('"day is"'))).toEqual([0])
    expect(places(store.search('day is'))).toEqual([0])
    expect(places(store.search('"is day"'))).toEqual([])
  })

  it('finds a text beyond a NUL character, and one that only spells it out', () => {
    const { store } = withMessages(user('before\0after'), user('a literal \\u0000 in code'))
    expect(places(store.search('after'))).toEqual([0])
    expect(places(store.search('\\u0000'))).toEqual([1])
    expect(places(store.search('e\0af'))).toEqual([0])
  })

  it('finds what a tool was called with and what it said, and does not look into pictures and reasoning', () => {
    const { store } = withMessages(
      { role: 'user', text: 'deploy', images: [{ mediaType: 'image/png', data: 'c2VjcmV0' }] },
      {
        role: 'assistant',
        text: '',
        reasoning: 'let me muse',
        toolCalls: [{ id: 'c1', name: 'terminal', input: { command: 'fly deploy --now' } }],
      },
      { role: 'tool', callId: 'c1', text: 'v42 is live' },
    )
    expect(places(store.search('"fly deploy"'))).toEqual([1])
    expect(places(store.search('terminal'))).toEqual([1])
    expect(places(store.search('v42'))).toEqual([2])
    expect(store.search('c2VjcmV0')).toEqual([])
    expect(store.search('muse')).toEqual([])
  })

  it('takes a tool call whose input is nested deeper than SQLite reads', () => {
    const input = JSON.parse(`${'['.repeat(1500)}"bottom of it"${']'.repeat(1500)}`)
    const call = { id: 'c1', name: 'dig', input }
    const { store, session } = withMessages({ role: 'assistant', text: 'deep down', toolCalls: [call] })
    expect(places(store.search('bottom'))).toEqual([0])
    expect(places(store.search('deep', { role: 'assistant' }))).toEqual([0])
    expect(session.messages()).toHaveLength(1)
  })

  it('does not look into deltas: their message has the same text', () => {
    const { store, session } = withMessages(user('hi'))
    record(session, 't1', [{ type: 'message.delta', text: 'half an answ' }])
    expect(store.search('answ')).toEqual([])
    record(session, 't1', [{ type: 'message.complete', text: 'an answer' }], [assistant('an answer')])
    expect(places(store.search('answ'))).toEqual([1])
  })

  it('tells where and when, with the place marked', async () => {
    const { store, session, clock } = withMessages(user('deploy plan'))
    await clock.advance(60_000)
    record(
      session,
      't1',
      [],
      [assistant(`${'long before '.repeat(20)}\n\nThe Needle,\tneedles\n${'and after '.repeat(20)}`)],
    )
    const [hit] = store.search('needle')
    expect(hit).toMatchObject({
      sessionId: session.id,
      title: 'deploy plan',
      at: clock.now(),
      role: 'assistant',
      messageIndex: 1,
    })
    expect(hit?.snippet).toMatch(/^….*before The >>>Needle<<<, >>>needle<<<s and after .*…$/)
    expect(hit?.snippet.length).toBeLessThan(200)
  })

  it('shows the newest first, as many as were asked for, across pages', () => {
    const { store } = withMessages(...Array.from({ length: 450 }, (_, i) => user(`note ${i}`)))
    expect(store.search('note')).toHaveLength(20)
    expect(places(store.search('note', { limit: 3 }))).toEqual([449, 448, 447])
    expect(places(store.search('no', { limit: 450 }))).toEqual(Array.from({ length: 450 }, (_, i) => 449 - i))
    expect(places(store.search('"note 7"', { limit: 1000 }))).toHaveLength(11)
  })

  it('keeps to the role, surface, folder, title and time that were asked for', async () => {
    const { store, clock } = sessionsFixture()
    const first = store.create({ surface: 'cli', cwd: '/one', title: 'Größe' })
    record(first, 't1', [start], [user('apple'), assistant('apple pie')])
    const moment = clock.now() + 500
    await clock.advance(1000)
    const second = store.create({ surface: 'telegram', cwd: '/two' })
    record(second, 't1', [start], [user('apple')])
    const found = (options: Parameters<Sessions['search']>[1]) =>
      store
        .search('apple', options)
        .map(({ sessionId, messageIndex }) => [sessionId === first.id ? 1 : 2, messageIndex])
    expect(found({})).toEqual([
      [2, 0],
      [1, 1],
      [1, 0],
    ])
    expect(found({ role: 'assistant' })).toEqual([[1, 1]])
    expect(found({ surface: 'telegram' })).toEqual([[2, 0]])
    expect(found({ cwd: '/one', role: 'user' })).toEqual([[1, 0]])
    expect(found({ title: 'GRÖSS' })).toEqual([])
    expect(found({ title: 'GRÖß' })).toEqual([
      [1, 1],
      [1, 0],
    ])
    expect(found({ usedBefore: moment })).toEqual([
      [1, 1],
      [1, 0],
    ])
    expect(found({ usedAfter: moment })).toEqual([[2, 0]])
  })
})

describe('the index', () => {
  it('holds what earlier versions stored, once the file is brought up to date', async () => {
    const { storage, store, folder, clock } = sessionsFixture()
    const file = join(folder, 'sessions.db')
    const old = storage.open({ file, migrations: migrations.slice(0, 1) })
    old.exec(`INSERT INTO sessions (number, id, surface, cwd, created_at, updated_at, message_count)
      VALUES (7, 'old', 'cli', '/', 1000, 3000, 2);
      INSERT INTO turns (session, id, state, first_seq, started_at, pid, process) VALUES (7, 't1', 'trimmed', 1, 2000, 1, 'x');
      INSERT INTO messages VALUES (7, 1, 't1', 1, '{"role":"user","text":"an old question"}');
      INSERT INTO messages VALUES (7, 2, 't0', 1, '{"role":"assistant","text":"an old answer \\u0000 日本語"}');
      INSERT INTO events VALUES (7, 1, 't1', 'kept', '[{"type":"notice","text":"x"}]');
      INSERT INTO system_prompts VALUES (7, '"be kind"')`)
    await old.close()
    expect(store.search('日本語')).toMatchObject([{ sessionId: 'old', messageIndex: 1, at: 3000 }])
    expect(store.search('question')).toMatchObject([{ sessionId: 'old', messageIndex: 0, at: 2000 }])
    const session = store.open('old')
    expect([session.systemPrompt(), session.events().length, session.messages().length]).toEqual(['be kind', 1, 2])
    record(session, 't2', [start], [user('a new question')])
    expect(places(store.search('question'))).toEqual([2, 0])
    expect(store.list()[0]).toMatchObject({ id: 'old', messageCount: 3, updatedAt: clock.now() })
  })

  it('forgets a session that is removed, and is sound', async () => {
    const { store, storage, folder, session } = withMessages(user('forget me'), assistant('done'))
    record(store.create(here), 't1', [], [user('remember me')])
    record(session, 't1', [{ type: 'turn.end', reason: 'completed', usage: {} }])
    await store.remove([session.id])
    expect(store.search('me').map(({ title }) => title)).toEqual(['remember me'])
    const database = storage.open({ file: join(folder, 'sessions.db'), migrations })
    expect(database.prepare('SELECT count(*) AS rows FROM message_index').get()).toEqual({ rows: 1 })
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  })

  it('is not touched by a record: messages wait until they are many and a turn ends, or for someone who searches', () => {
    const { store, storage, session, folder } = withMessages(user('hi'))
    const database = storage.open({ file: join(folder, 'sessions.db'), migrations })
    const state = () => database.prepare('SELECT id, hex(block) AS block FROM message_index_data').all()
    const before = state()
    record(session, 't1', [
      { type: 'message.delta', text: 'a' },
      { type: 'notice', text: 'b' },
    ])
    expect(state()).toEqual(before)
    record(session, 't1', [], [user('ho, ho')])
    expect(state()).toEqual(before)
    expect(store.search('ho, ho')).toHaveLength(1)
    const searched = state()
    expect(searched).not.toEqual(before)
    record(session, 't2', [start], [user('hey, hey')])
    expect(state()).toEqual(searched)
    record(session, 't2', [end])
    expect(state()).toEqual(searched)
    const many = Array.from({ length: 49 }, () => user('again'))
    record(session, 't3', [start], many)
    record(session, 't3', [end])
    expect(state()).not.toEqual(searched)
  })

  it('forgets a message that was removed before it was indexed', async () => {
    // More than the end of a turn indexes.
    const { store, session } = withMessages(...Array.from({ length: 60 }, () => user('a needle')))
    record(session, 't1', [end])
    await store.remove([session.id])
    expect(store.search('needle')).toEqual([])
    const other = store.create(here)
    record(other, 't1', [], [user('a needle again')])
    expect(store.search('needle')).toHaveLength(1)
  })

  it('answers over 100,000 messages faster than looking at each, and opens 10,000 of them', {
    timeout: 120_000,
  }, () => {
    const { store, storage, folder } = sessionsFixture()
    for (let session = 0; session < 10; session++) store.import(manyMessages(session, 10_000))
    const database = storage.open({ file: join(folder, 'sessions.db'), migrations })
    const naive = timed(() =>
      database.prepare("SELECT id FROM message_texts WHERE text LIKE '%needle7%' ORDER BY id DESC LIMIT 20").all(),
    )
    const queries = ['needle7', 'question answer', '"answer 31"', '日本', 'zz', 'not there at all']
    const ratios = queries.map((query) => {
      const { ms, result } = timed(() => store.search(query))
      return `${query}: ${result.length} hits in ${ms.toFixed(1)} ms, ${(ms / naive.ms).toFixed(2)} of a scan`
    })
    const opened = timed(() => store.open('many3').messages())
    console.log(
      [`a scan: ${naive.ms.toFixed(1)} ms`, ...ratios, `10,000 messages opened: ${opened.ms.toFixed(1)} ms`].join('\n'),
    )
    expect(store.search('needle7')).toHaveLength(naive.result.length)
    expect(places(store.search('日本', { limit: 1 }))).toEqual([9_000])
    expect(opened.result).toHaveLength(10_000)
  })
})

describe('processes that record and search at the same time', () => {
  it('find all that the other one has recorded by then', async () => {
    const { store, folder } = sessionsFixture()
    const { id } = store.create(here)
    const file = join(folder, 'sessions.db')
    const child = spawn(process.execPath, [script, file, id], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const exit = once(child, 'exit')
    const own = store.open(id)
    let recorded = 0
    for await (const line of createInterface(child.stdout)) {
      expect(store.search(`fromthechild${line}end`)).toHaveLength(1)
      record(own, 't-own', [], [user(`fromtheparent${recorded++}`)])
    }
    expect(await exit).toEqual([0, null])
    expect(recorded).toBe(100)
    expect(store.search('fromtheparent', { limit: 1000 })).toHaveLength(100)
    expect(store.search('fromthechild', { limit: 1000 })).toHaveLength(100)
  })
})

function fold(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

function timed<T>(work: () => T): { readonly ms: number; readonly result: T } {
  const from = performance.now()
  const result = work()
  return { ms: performance.now() - from, result }
}

function manyMessages(number: number, count: number): SessionArchive {
  const filling = 'the quick brown fox reads what the lazy dog wrote about builds, tests and releases '.repeat(3)
  const messages = Array.from({ length: count }, (_, i) => {
    const rare = i === 9_000 ? ` 日本 needle${number}` : ''
    const text = `${i % 2 ? 'answer' : 'question'} ${i} ${filling}${rare}`
    return { message: i % 2 ? assistant(text) : user(text), at: i, turnId: 't1', seq: 0 }
  })
  const session = { id: `many${number}`, ...here, createdAt: 0, updatedAt: number, messageCount: count, usage: {} }
  return { session, messages, events: [] }
}

describe('a term of plain letters', () => {
  it.each([
    ['mist', 'mi\u017ft on the water'],
    ['Kelvin', '300 \u212aelvin'],
    ['100% sure_', 'I am 100% SURE_ of it'],
    ['"back on"', 'be BACK ON time'],
  ])('%j is found in %j', (query, text) => {
    const { store } = withMessages(user(text), user('something else'))
    expect(places(store.search(query))).toEqual([0])
  })

  it('is found where it reaches from the name of a tool into its input', () => {
    const call: Message = { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'python', input: 'print(1)' }] }
    const { store } = withMessages(user('python'), call)
    expect(places(store.search('"python print"'))).toEqual([1])
  })

  it('is not looked for in what the index proposes wrongly: SQLite leaves that out', () => {
    const { conditions, values } = narrow(['harbour lantern', 'Straße', 'a"b c'])
    expect(values).toEqual(['%harbour lantern%'])
    expect(conditions).toHaveLength(1)
  })
})
