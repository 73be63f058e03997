import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { safeJson } from 'svc/sdk/kit/terminal'
import { Storage } from 'svc/sdk/storage'
import { describe, expect, it } from 'vitest'
import { migrations } from '../../../../plugins/sessions/sessions/migrations.ts'
import { finished } from '../sessions/support.ts'
import { dayMs, hostile, sessionsKernel, steering, talk } from './support.ts'

describe('svc sessions rename and branch', () => {
  it('gives a title in as many words as were typed', async () => {
    await using fixture = await sessionsKernel()
    const { svc, sessions } = fixture
    const { id } = talk(sessions, ['hi', 'hello'])
    expect(await svc(['rename', id, 'the', 'great', 'cleanup'])).toMatchObject({ code: 0, err: '' })
    expect(sessions.list()[0]?.title).toBe('the great cleanup')
    expect(await svc(['rename', id, ' '])).toMatchObject({ code: 1, err: expect.stringContaining('title') })
  })

  it('makes a conversation that begins like another one', async () => {
    await using fixture = await sessionsKernel()
    const { json, svc, sessions } = fixture
    const { id } = talk(sessions, ['one', 'two', 'three', 'four'])
    const made = await json<{ id: string }>('branch', id, '--up-to', '2')
    expect(made).toEqual({ id: expect.any(String), parent: id, messages: 2 })
    expect(sessions.open(made.id).messages()).toEqual(sessions.open(id).messages().slice(0, 2))
    expect((await svc(['show', made.id])).out).toContain(`branch of ${id}`)
    expect(await svc(['branch', id, '--up-to', 'two'])).toMatchObject({ code: 2 })
  })
})

describe('svc sessions delete and prune', () => {
  it('ask on a terminal, and take no for an answer', async () => {
    await using fixture = await sessionsKernel()
    const { svc, sessions, trash } = fixture
    const { id } = talk(sessions, ['hi', 'hello'])
    const asked = await svc(['delete', id], { interactive: true, answers: ['n'] })
    expect(asked).toMatchObject({
      code: 1,
      out: expect.stringContaining(id),
      err: expect.stringContaining('Nothing was changed'),
    })
    expect([sessions.list().length, trash()]).toEqual([1, []])
    expect(await svc(['delete', id], { interactive: true, answers: ['yes'] })).toMatchObject({ code: 0 })
    expect(sessions.list()).toEqual([])
  })

  it('need --yes where there is no one to ask', async () => {
    await using fixture = await sessionsKernel()
    const { svc, sessions, clock } = fixture
    const { id } = talk(sessions, ['hi', 'hello'])
    await clock.jump(100 * dayMs)
    for (const args of [['delete', id], ['prune']])
      expect(await svc(args)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') })
    expect(sessions.list()).toHaveLength(1)
  })

  it('keep a copy first that only the owner may read, and say how to bring it back as it was', async () => {
    await using fixture = await sessionsKernel()
    const { svc, json, sessions, trash } = fixture
    const [one, two] = [talk(sessions, [hostile, 'hello']), talk(sessions, ['日本語', 'x'])]
    const before = [one, two].map(({ id }) => sessions.export(id))
    const { removed, undo, backup } = await json<{ removed: string[]; undo: string; backup: string }>(
      ...['delete', one.id, two.id, one.id, '--yes'],
    )
    expect(removed).toEqual([one.id, two.id])
    expect(trash()).toEqual([backup])
    expect(statSync(backup).mode & 0o777).toBe(0o600)
    expect(undo).toBe(`svc sessions import ${backup}`)
    expect(await svc(['import', backup])).toMatchObject({ code: 0, out: '2 conversations imported.\n' })
    expect([one, two].map(({ id }) => sessions.export(id))).toEqual(before)
  })

  it('remove nothing when no copy can be made', async () => {
    await using fixture = await sessionsKernel()
    const { svc, sessions, kernel } = fixture
    const { id } = talk(sessions, ['hi', 'hello'])
    writeFileSync(join(kernel.home, 'trash'), 'in the way')
    expect(await svc(['delete', id, '--yes'])).toMatchObject({ code: 1, err: expect.stringContaining('trash') })
    expect(sessions.list()).toHaveLength(1)
  })

  it('prune takes what was not used for ninety days, and never a conversation at work', async () => {
    await using fixture = await sessionsKernel()
    const { svc, json, sessions, clock } = fixture
    const [old, busy] = [talk(sessions, ['old', 'x']), talk(sessions, ['busy', 'x'])]
    busy.record({ turnId: 't2', events: [{ type: 'turn.start', text: '', provider: 'p', model: 'm' }] })
    await clock.jump(50 * dayMs)
    const middle = talk(sessions, ['middle', 'x'])
    await clock.jump(50 * dayMs)
    expect(await json('prune', '--dry-run')).toEqual({ wouldRemove: [old.id] })
    expect((await svc(['prune', '--dry-run'])).out).toContain(old.id)
    expect(await json('prune', '--yes')).toMatchObject({ removed: [old.id] })
    expect(await json('prune', '--older-than', '10', '--yes')).toMatchObject({ removed: [middle.id] })
    expect(await json('prune', '--older-than', '10', '--yes')).toEqual({ removed: [] })
    expect(await svc(['delete', busy.id, '--yes'])).toMatchObject({ code: 1, err: expect.stringContaining('at work') })
    expect(sessions.list().map(({ id }) => id)).toEqual([busy.id])
  })
})

describe('svc sessions compact', () => {
  it('says the sizes before and after, and that no one waits', async () => {
    await using fixture = await sessionsKernel()
    const { svc, sessions, clock } = fixture
    const ids = Array.from({ length: 20 }, (_, at) => talk(sessions, [`${at}`.repeat(20_000), 'x']).id)
    await finished(clock, sessions.remove(ids))
    const text = await finished(clock, svc(['compact']))
    expect(text).toMatchObject({ code: 0, out: expect.stringMatching(/^[\d.]+ MB before, [\d.]+ MB now\.\n$/) })
    expect(text.err).toContain('not kept waiting')
    const { before, after } = JSON.parse((await finished(clock, svc(['compact', '--json']))).out)
    expect([before, after]).toEqual([sessions.stats().bytes, before])
  })

  it('says that others wait while a file of an earlier version is rewritten, and refuses it while a turn is at work', async () => {
    await using fixture = await sessionsKernel()
    const { svc, sessions, clock, kernel } = fixture
    const busy = talk(sessions, ['busy', 'x'])
    const file = join(kernel.home, 'data/sessions/sessions.db')
    kernel.use(Storage).open({ file, migrations }).exec('PRAGMA auto_vacuum = NONE; VACUUM')
    busy.record({ turnId: 't2', events: [{ type: 'turn.start', text: '', provider: 'p', model: 'm' }] })
    expect(await svc(['compact'])).toMatchObject({ code: 1, err: expect.stringContaining('at work') })
    busy.record({ turnId: 't2', events: [{ type: 'turn.end', reason: 'completed', usage: {} }] })
    expect((await finished(clock, svc(['compact']))).err).toContain('wait until it is done')
  })
})

describe('svc sessions export and import', () => {
  it('write a file that is imported elsewhere with the same content, in the same order', async () => {
    await using from = await sessionsKernel()
    await using to = await sessionsKernel()
    const first = talk(from.sessions, [hostile, { role: 'assistant', text: '\0\ud83d 日本', reasoning: 'hm' }])
    await from.clock.advance(1000)
    const second = from.sessions.branch(first.id)
    const file = join(from.kernel.home, 'all.jsonl')
    expect(await from.svc(['export', '--output', file])).toMatchObject({ code: 0, out: '' })
    const text = readFileSync(file, 'utf8')
    expect(text.trim().split('\n')).toHaveLength(2)
    expect((await from.svc(['export'])).out).toBe(text)
    expect((await from.svc(['export', second.id])).out).toBe(`${text.trim().split('\n')[1]}\n`)
    expect(await to.json('import', file)).toEqual({ imported: [first.id, second.id], skipped: [] })
    for (const { id } of [first, second]) expect(to.sessions.export(id)).toEqual(from.sessions.export(id))
    expect(await to.json('import', file)).toEqual({ imported: [], skipped: [first.id, second.id] })
    expect((await to.svc(['import', file])).err).toContain('2 conversations already there')
  })

  it('never write over a file, and say which format is not known', async () => {
    await using fixture = await sessionsKernel()
    const { svc, sessions, kernel } = fixture
    talk(sessions, ['hi', 'hello'])
    const file = join(kernel.home, 'mine.txt')
    writeFileSync(file, 'precious')
    expect(await svc(['export', '--output', file])).toMatchObject({ code: 1, err: expect.stringContaining('already') })
    expect(readFileSync(file, 'utf8')).toBe('precious')
    const nowhere = join(kernel.home, 'no', 'such', 'folder')
    expect(await svc(['export', '--output', nowhere])).toMatchObject({
      code: 1,
      err: expect.stringContaining('ENOENT'),
    })
    expect(existsSync(nowhere)).toBe(false)
    for (const format of ['pdf', 'constructor'])
      expect(await svc(['export', '--format', format])).toMatchObject({ code: 2, err: expect.stringContaining(format) })
  })

  it('import nothing of a file in which something is wrong, and name the line', async () => {
    await using fixture = await sessionsKernel()
    const { svc, sessions, kernel } = fixture
    const { id } = talk(sessions, ['hi', 'hello'])
    const good = (await svc(['export'])).out
    await sessions.remove([id])
    const archive = JSON.parse(good)
    const wrong = [
      'not json',
      '[]',
      '{"role":"user"}',
      JSON.stringify({ ...archive, version: 2 }),
      JSON.stringify({ ...archive, session: { ...archive.session, id: '\u001b[2J' } }),
      JSON.stringify({ ...archive, events: archive.events.toReversed() }),
      JSON.stringify({ ...archive, messages: [{ at: 1, turnId: 't', seq: 1, message: { role: 'user' } }] }),
    ]
    const file = join(kernel.home, 'in.jsonl')
    for (const line of wrong) {
      writeFileSync(file, `${good}\n${line}\n`)
      expect(await svc(['import', file])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('line 3') })
      expect(sessions.list()).toEqual([])
    }
    expect(await svc(['import', join(kernel.home, 'absent')])).toMatchObject({
      code: 1,
      err: expect.stringContaining('absent'),
    })
    writeFileSync(file, '')
    expect(await svc(['import', file])).toMatchObject({ code: 0, out: '0 conversations imported.\n' })
  })

  it('write a page in which stored text is only text', async () => {
    await using fixture = await sessionsKernel()
    const { svc, sessions } = fixture
    const pixel = 'iVBORw0KGgo='
    const { id } = talk(sessions, [
      {
        role: 'user',
        text: hostile,
        images: [
          { mediaType: 'image/png', data: pixel },
          { mediaType: 'image/svg+xml', data: pixel },
          { mediaType: 'image/png', data: '"><script>alert(2)</script>' },
        ],
      },
      {
        role: 'assistant',
        text: '```\n<img src=x onerror=alert(3)>',
        toolCalls: [{ id: 'c', name: '<b>', input: '</pre>' }],
      },
      { role: 'tool', callId: 'c', text: '````\n# not a heading' },
    ])
    const { out } = await svc(['export', id, '--format', 'html'])
    const tags = new Set([...out.matchAll(/<\/?([a-z0-9]+)/g)].map(([, tag]) => tag))
    expect([...tags].sort()).toEqual(
      [
        'html',
        'head',
        'meta',
        'title',
        'style',
        'body',
        'section',
        'h1',
        'p',
        'article',
        'header',
        'pre',
        'img',
        'details',
        'summary',
        'div',
        'code',
      ].sort(),
    )
    expect(out.match(/<img [^>]*>/g)).toEqual([`<img alt="" src="data:image/png;base64,${pixel}">`])
    expect(out).toContain('&lt;script&gt;alert(1)')
    expect(out).toContain('&lt;img src=x onerror=alert(3)&gt;')
    expect(out).toContain("default-src 'none'")
    const markdown = (await svc(['export', id, '--format', 'md'])).out
    expect(markdown).toContain('`````\n````\n# not a heading\n`````')
    expect(out + markdown).not.toMatch(steering)
  })
})

it('a page shows the Markdown of the model as it is meant, and no HTML or other address of it', async () => {
  await using fixture = await sessionsKernel()
  const { svc, sessions } = fixture
  const text =
    'Wrote **`hello.py`** <b onclick=x>\n\n- [safe](https://example.org)\n- [not](javascript:alert(1))\n\n![pic](https://example.org/track.png)'
  const { id } = talk(sessions, [{ role: 'assistant', text }])
  const { out } = await svc(['export', id, '--format', 'html'])
  expect(out).toContain('<strong><code>hello.py</code></strong>')
  expect(out).toContain('<a href="https://example.org" rel="noreferrer">safe</a>')
  expect(out).toContain('&lt;b onclick=x&gt;')
  expect(out).not.toMatch(/href="javascript|track\.png"|<b |<img/)
})

describe('JSON for a terminal', () => {
  it('steers nothing and reads back as the same value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = safeJson({ text: text + hostile })
        expect(json).not.toMatch(steering)
        expect(JSON.parse(json)).toEqual({ text: text + hostile })
      }),
    )
  })
})
