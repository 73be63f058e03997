/** What the agent has learned, as a graph, and how a person corrects it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { CronJobs } from 'svc/sdk/jobs'
import { LearningSources, SkillDirs, Skills } from 'svc/sdk/skills'
import { fakeProvider, fakeTalk, type ScriptedReply } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'
import { skillText, write } from '../skills/stage.ts'

const SECRET = 'sk-otters-0123456789'
const BEES = 'Keep bees as bee-keeping says.\nAsk Ada.'

interface Options {
  readonly replies?: readonly ScriptedReply[]
  readonly plugins?: readonly string[]
  readonly breaks?: boolean
}

/** A home with a skill of the user, memories, and a folder of skills that came with something. */
async function open({ replies = ['ok'], plugins = [], breaks = false }: Options = {}) {
  const home = temporaryFolder()
  const brought = temporaryFolder()
  write(brought, {
    'bee-keeping/SKILL.md': skillText('bee-keeping', 'Keep bees in winter.'),
    'honey/SKILL.md': skillText('honey', 'Sell honey.'),
    'quiet/SKILL.md': skillText('quiet', 'Say nothing.'),
  })
  const related = 'metadata:\n  svc:\n    related_skills: [honey]\n'
  write(home, {
    'skills/tidy/SKILL.md': skillText('tidy', 'Tidy up.', 'First read bee-keeping.', related),
    'memories/USER.md': `${BEES}\n§\nThe key is ${SECRET}\n`,
    'memories/MEMORY.md':
      'Use `tidy` on Mondays, and be quiet\n§\n[origin: a web page; not confirmed]\nOtters hold hands\n',
  })
  const model = fakeProvider(replies)
  const desk = await openDashboard({
    ...{ home, env: { A_KEY: SECRET } },
    plugins: ['journey', 'skills', 'tool-memory', 'sessions', 'conversation', 'agent', ...plugins],
    with: [model.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
    setup(ctx) {
      ctx.add(SkillDirs, { name: 'brought', path: brought, trust: 'trusted' })
      if (breaks)
        ctx.add(LearningSources, {
          ...{ name: 'broken', kind: 'broken', title: () => 'Broken' },
          list: () => Promise.reject(new SvcError('BROKEN', 'It is broken.')),
          ...{ read: async () => '', edit: async () => '', remove: async () => {}, restore: async () => {} },
        })
    },
  })
  const graph = async () => (await desk.ask('GET', '/api/learning/graph')).json as Graph
  const node = (method: string, body: object) => desk.ask(method, '/api/learning/node', { body })
  const read = (id: string) => desk.ask('GET', `/api/learning/node?${new URLSearchParams({ id })}`)
  const find = async (begins: string) => {
    const found = (await graph()).nodes.find(({ title }) => title.startsWith(begins))
    if (!found) throw new Error(`no node ${begins}`)
    return found
  }
  const text = (path: string) => readFileSync(join(home, path), 'utf8')
  return { ...desk, home, graph, node, read, find, text, restore: (id: string) => restore(desk, id) }
}

const restore = (desk: Awaited<ReturnType<typeof openDashboard>>, id: string) =>
  desk.ask('POST', '/api/learning/node/restore', { body: { id } })

interface Graph {
  readonly nodes: readonly {
    id: string
    kind: string
    title: string
    learned: boolean
    at: number | null
    can_edit: boolean
  }[]
  readonly edges: readonly { from: string; to: string; kind: string }[]
}

test('the graph has what was learned and what it names; what only came with svc, and a word of the language, are not links', async () => {
  const { graph, find } = await open()
  const { nodes, edges } = await graph()
  expect(nodes.map(({ kind, title, learned }) => [kind, title, learned])).toEqual([
    ['skill', 'bee-keeping: Keep bees in winter.', false],
    ['skill', 'honey: Sell honey.', false],
    ['skill', 'tidy: Tidy up.', true],
    ['memory', 'Keep bees as bee-keeping says.', true],
    ['memory', expect.stringMatching(/^The key is (?!sk-)/), true],
    ['memory', 'Use `tidy` on Mondays, and be quiet', true],
    ['memory', 'Otters hold hands (not confirmed)', true],
  ])
  const [bees, use] = [(await find('Keep bees as')).id, (await find('Use `tidy`')).id]
  const expected = [
    { from: 'skills:tidy', to: 'skills:honey', kind: 'related' },
    { from: 'skills:tidy', to: 'skills:bee-keeping', kind: 'mentions' },
    { from: bees, to: 'skills:bee-keeping', kind: 'mentions' },
    { from: use, to: 'skills:tidy', kind: 'mentions' },
  ]
  expect(edges).toHaveLength(expected.length)
  expect(edges).toEqual(expect.arrayContaining(expected))
})

test('a skill that the agent wrote is linked to the session it comes from', async () => {
  const content = skillText('ode', 'Praise a thing in verse.')
  const call = { name: 'skill_manage', input: { action: 'create', name: 'ode', reason: 'r', content } }
  const { kernel, graph } = await open({ replies: [{ calls: [call] }, 'done'] })
  const talk = fakeTalk(kernel)
  await talk.type('write an ode', '/title Verses')
  const { nodes, edges } = await graph()
  const session = `session:${talk.conversation.sessionId}`
  expect(nodes.at(-1)).toMatchObject({ id: session, kind: 'session', title: 'Verses', can_edit: false })
  expect(edges).toContainEqual({ from: 'skills:ode', to: session, kind: 'learned' })
  expect(nodes.find(({ id }) => id === 'skills:ode')?.at).toBeGreaterThan(0)
})

test('a memory is read, changed, and not overwritten where it is another one by now', async () => {
  const { find, read, node, text } = await open()
  const { id } = await find('Keep bees as')
  expect((await read(id)).json).toMatchObject({ id, kind: 'memory', content: BEES })
  expect((await node('PUT', { id, content: 'x', before: 'another' })).status).toBe(404)
  const changed = await node('PUT', { id, content: 'Keep wasps.', before: BEES })
  expect(changed.status).toBe(200)
  expect(text('memories/USER.md')).toBe(`Keep wasps.\n§\nThe key is ${SECRET}\n`)
  expect((await read(changed.json.id)).json.content).toBe('Keep wasps.')
  for (const reply of [await read(id), await node('PUT', { id, content: 'y' }), await node('DELETE', { id })])
    expect(reply.status).toBe(404)
  expect((await node('PUT', { id: changed.json.id, content: 'one\n§\ntwo' })).status).toBe(400)
})

test('a memory with a secret is shown masked and not changed by what is shown', async () => {
  const { find, read, node, text } = await open()
  const { id, can_edit } = await find('The key is')
  expect(can_edit).toBe(false)
  expect((await read(id)).text).not.toContain(SECRET)
  expect(await node('PUT', { id, content: 'The key is gone' })).toMatchObject({
    ...{ status: 409, json: { code: 'journey_fixed' } },
  })
  expect(text('memories/USER.md')).toContain(SECRET)
})

test('a memory that was forgotten comes back as it was, once', async () => {
  const { find, node, text, restore } = await open()
  const { id } = await find('Otters hold hands')
  expect((await node('DELETE', { id })).json).toEqual({ ok: true, id })
  expect(text('memories/MEMORY.md')).not.toContain('Otters')
  expect((await node('DELETE', { id })).status).toBe(404)
  expect((await restore(id)).status).toBe(200)
  expect(text('memories/MEMORY.md')).toContain('[origin: a web page; not confirmed]\nOtters hold hands')
  expect((await restore(id)).status).toBe(404)
})

test('a skill is changed by an edit, archived, and brought back', async () => {
  const { read, node, home, kernel, restore } = await open()
  const id = 'skills:tidy'
  const before = (await read(id)).json.content
  const after = before.replace('First read', 'Always read')
  expect((await node('PUT', { id, content: after, before: 'another' })).status).toBe(409)
  expect((await node('PUT', { id, content: after, before })).json).toEqual({ ok: true, id })
  expect((await kernel.use(Skills).read('tidy')).text).toContain('Always read')
  expect((await node('PUT', { id, content: after.replace('name: tidy', 'name: other') })).status).toBe(409)
  expect((await node('DELETE', { id })).status).toBe(200)
  expect(existsSync(join(home, 'skills/tidy'))).toBe(false)
  expect(readdirSync(join(home, 'skills/.archive'))).toHaveLength(1)
  expect((await node('DELETE', { id })).status).toBe(404)
  expect((await restore(id)).status).toBe(200)
  expect((await kernel.use(Skills).read('tidy')).text).toContain('Always read')
})

test('what came from elsewhere, and what a scheduled job uses, is not archived', async () => {
  const { node, kernel, home } = await open({ plugins: ['cron'] })
  expect(await node('DELETE', { id: 'skills:honey' })).toMatchObject({ status: 409, json: { code: 'journey_fixed' } })
  const jobs = kernel.use(CronJobs)
  await jobs.create({ schedule: await jobs.parse('every 7d'), prompt: 'Look after the desk', skills: ['tidy'] })
  expect(await node('DELETE', { id: 'skills:tidy' })).toMatchObject({ status: 409, json: { code: 'skill_refused' } })
  expect(existsSync(join(home, 'skills/tidy'))).toBe(true)
})

test('ids that name nothing are 404, and a source that fails takes nothing else away', async () => {
  const { read, graph, restore } = await open({ breaks: true })
  for (const id of ['nothing', 'nothing:at all', 'skills:gone', 'session:x']) expect((await read(id)).status).toBe(404)
  for (const id of ['nothing:x', 'skills:gone', 'memory:gone']) expect((await restore(id)).status).toBe(404)
  expect((await graph()).nodes).toHaveLength(7)
})

test('/journey lists with numbers, removes after a yes, changes in an editor, and undoes', async () => {
  const { kernel, text, home } = await open()
  const talk = fakeTalk(kernel, { person: { confirm: true, edit: 'Use it on Fridays' } })
  const list = await talk.type('/journey')
  expect(list).toContain('**Skills**')
  expect(list).toMatch(/^3\. tidy: Tidy up\. _\(belongs to 2; mentions 1\)_$/m)
  expect(list).toMatch(/^1\. bee-keeping: .* _\(not learned here\)_$/m)
  expect(list).toMatch(/^\*\*Memories\*\*\n\n4\. Keep bees/m)
  expect(await talk.type('/learning edit 6')).toMatch(/^Changed: Use `tidy`/)
  expect(text('memories/MEMORY.md')).toContain('Use it on Fridays')
  expect(await talk.type('/memory-graph delete 3')).toMatch(/^Removed: tidy/)
  expect(existsSync(join(home, 'skills/tidy'))).toBe(false)
  expect(await talk.type('/journey undo')).toBe('It is back.')
  expect(existsSync(join(home, 'skills/tidy'))).toBe(true)
  expect(await talk.type('/journey undo')).toBe('Nothing was removed here.')
  expect(await talk.type('/journey delete 99')).toContain('by its number')
  expect(await talk.type('/journey delete 1')).toContain('cannot be removed here')
  expect(await talk.type('/journey walk')).toContain('Type /journey list')
})

test('/journey changes nothing without a yes or a text, and says where nothing was learned', async () => {
  const { kernel, text, home } = await open()
  const before = text('memories/USER.md')
  const talk = fakeTalk(kernel, { person: { confirm: false } })
  expect(await talk.type('/journey delete 4')).toBe('Nothing was changed.')
  expect(await talk.type('/journey edit 4')).toBe('Nothing was changed.')
  expect(text('memories/USER.md')).toBe(before)
  expect(await talk.type('/journey delete 4 --yes')).toMatch(/^Removed/)
  mkdirSync(join(home, 'memories'), { recursive: true })
  for (const name of ['USER.md', 'MEMORY.md']) writeFileSync(join(home, 'memories', name), '')
  await talk.type('/journey delete skills:tidy --yes')
  expect(await talk.type('/journey')).toContain('Nothing was learned yet')
})
