/** Skills that the agent wrote: counted, archived when they are not used, merged on request, and brought back. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Dashboard } from 'svc/sdk/dashboard'
import { CronJobs } from 'svc/sdk/jobs'
import { fakeTalk, type ScriptedReply, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { readProposals } from '../../../../plugins/skills/skills/curator/consolidate.ts'
import { findWork, MAX_ARCHIVED_PER_PASS, type WrittenSkill } from '../../../../plugins/skills/skills/curator/decide.ts'
import { open as openSkills, skillText } from './stage.ts'

const DAY = 86_400_000
const WRITTEN = {
  ode: skillText('ode', 'Praise a thing in verse. Use at festivals.', 'Begin with O.'),
  hymn: skillText('hymn', 'Praise a thing in verse for choirs of four voices. Use at festivals.', 'Three verses.'),
  bees: skillText('bees', 'Keep bees in winter.', 'Feed them.'),
}

/** Days of a few minutes, so that the clock need not pass weeks. */
const SHORT = { stale_after_days: 10 / 1440, archive_after_days: 30 / 1440 }
const MINUTE = 60_000

/** A home in which the agent wrote skills, and the user one. */
async function open(
  names: readonly (keyof typeof WRITTEN)[],
  { said = [], ...options }: Parameters<typeof openSkills>[0] & { readonly said?: readonly ScriptedReply[] } = {},
) {
  const clock = virtualClock()
  const calls = names.map((name) => ({
    calls: [{ name: 'skill_manage', input: { action: 'create', name, reason: 'r', content: WRITTEN[name] } }],
  }))
  const stage = await openSkills({
    files: { 'skills/poem/SKILL.md': skillText('poem', 'Write a poem.') },
    replies:
      said.length > 0
        ? [...calls, 'done', ...said]
        : [...calls, 'done', { calls: [{ name: 'skill_view', input: { name: 'bees' } }] }, 'done'],
    clock,
    config: { skills: { curator: SHORT } },
    ...options,
  })
  const talk = fakeTalk(stage.kernel)
  await talk.type('go')
  const svc = async (...words: string[]) => stage.kernel.run(['skills', 'curator', ...words])
  const json = async (...words: string[]) => JSON.parse((await svc(...words, '--json')).out)
  const all = async () => (await stage.skills.list()).map(({ name }) => name)
  const usage = join(stage.home, 'data/skills/state/usage.json')
  return { ...stage, clock, talk, svc, json, all, usage }
}

test('what the agent wrote and is not used goes to the archive and comes back; skills of the user and pinned ones stay', async () => {
  const { clock, svc, json, all, skills, home } = await open(['ode', 'bees'])
  await svc('pin', 'bees')
  await clock.advance(11 * MINUTE)
  expect(await json('run')).toMatchObject({ archived: [], proposals: [{ kind: 'retire', skill: 'ode' }] })
  await clock.advance(20 * MINUTE)
  expect(await json('run', '--dry-run')).toMatchObject({ archived: ['ode'], dry_run: true })
  expect(await all()).toEqual(['bees', 'ode', 'poem'])
  expect((await svc('run')).out).toContain('Archived: ode. `svc skills curator restore NAME`')
  expect(await all()).toEqual(['bees', 'poem'])
  expect(await json('list-archived')).toMatchObject({ archived: [{ name: 'ode' }] })
  expect(await json('restore', 'ode')).toEqual({ name: 'ode', folder: join(home, 'skills/ode') })
  expect(await skills.find('ode')).toMatchObject({ trust: 'model' })
  expect((await svc('restore', 'ode')).err).toContain('No archived skill is called ode')
  await svc('unpin', 'bees')
  expect(await json('run')).toMatchObject({ archived: expect.arrayContaining(['bees']) })
})

test('a skill that was used is kept, and reading it writes nothing until a minute has passed', async () => {
  const { clock, talk, json, usage } = await open(['bees'])
  await clock.advance(9 * MINUTE)
  const before = existsSync(usage) ? statSync(usage).mtimeMs : undefined
  await talk.type('read it')
  expect(existsSync(usage) ? statSync(usage).mtimeMs : undefined).toBe(before)
  expect((await json('status')).usage.bees).toMatchObject({ views: 1, uses: 0 })
  await clock.advance(61_000)
  await expect.poll(() => existsSync(usage)).toBe(true)
  expect((await json('status')).usage.bees).toMatchObject({ views: 1, uses: 0 })
  await clock.advance(5 * MINUTE)
  expect(await json('run')).toMatchObject({ archived: [], proposals: [] })
})

test('a use by a person is counted once', async () => {
  const { talk, json } = await open(['bees'])
  await talk.type('/bees now')
  expect((await json('status')).usage.bees).toMatchObject({ uses: 1 })
})

test('skills that say nearly the same are proposed to be one; accepting keeps both texts and can be undone', async () => {
  const { json, kernel } = await open([])
  expect(await json('run')).toEqual({ archived: [], proposals: [], dry_run: false })
  await kernel.stop()
  const again = await open(['ode', 'hymn'])
  await again.clock.advance(MINUTE)
  expect(await again.json('run')).toMatchObject({ proposals: [{ kind: 'merge', skill: 'hymn', into: 'ode' }] })
  expect((await again.svc('accept', '1')).err).toContain('add --yes')
  expect((await again.svc('accept', '7', '--yes')).err).toContain('There is no proposal 7')
  expect((await again.svc('accept', '1', '--yes')).out).toContain('curator restore hymn')
  expect(await again.all()).toEqual(['ode', 'poem'])
  expect((await again.skills.read('ode')).text).toContain('read references/hymn.md: Praise a thing in verse for')
  expect((await again.skills.read('ode', { path: 'references/hymn.md' })).text).toBe('Three verses.\n')
  const edits = JSON.parse((await again.kernel.run(['skills', 'edits', '--json'])).out).edits
  expect(edits).toMatchObject([{ author: 'curator' }, { author: 'curator' }])
})

test('passes are made while svc is idle, from the second interval on, and not while they are paused', async () => {
  const curator = { ...SHORT, interval_hours: 1, min_idle_hours: 0.5 }
  const config = { model: { provider: 'fake', default: 'fake-1' }, skills: { curator } }
  const { clock, json, svc, all, talk } = await open(['ode'], { role: 'terminal', config })
  const pass = async (hours: number) => {
    for (let each = 0; each < hours * 4; each += 1) {
      await clock.advance(900_000)
      await json('status')
    }
    return (await json('status')).run_count
  }
  expect(await pass(0.75)).toBe(0)
  await svc('pause')
  expect(await pass(1.5)).toBe(0)
  await svc('resume')
  await talk.type('busy')
  expect(await pass(0.25)).toBe(0)
  await pass(0.75)
  await expect.poll(async () => (await json('status')).run_count).toBe(1)
  await expect.poll(async () => (await all()).includes('ode')).toBe(false)
  expect(await all()).toContain('poem')
})

test('a pass and a day are bounded, and the longest unused go first', () => {
  const skills = Array.from({ length: 30 }, (_, at): WrittenSkill => {
    return { name: `skill-${at}`, description: `Number ${at} of ${at * 7}.`, lastAt: at }
  })
  const limits = { now: 400 * DAY, staleDays: 30, archiveDays: 90, room: 10 }
  const { archive, proposals } = findWork(skills, limits)
  expect(archive.map(({ name }) => name)).toEqual(['skill-0', 'skill-1', 'skill-2', 'skill-3', 'skill-4'])
  expect(archive).toHaveLength(MAX_ARCHIVED_PER_PASS)
  expect(proposals.length).toBeLessThanOrEqual(20)
  expect(findWork(skills, { ...limits, room: 0 }).archive).toEqual([])
})

const MERGE = { merges: [{ from: 'bees', into: 'ode', reason: 'Both\nare seasonal.' }], prunings: [{ name: 'poem' }] }

test('a model proposes merges only when it is asked to, in one call, and they are accepted and undone as those of the rules', async () => {
  const { json, svc, all, clock, model, skills, usage } = await open(['ode', 'bees'], { said: [JSON.stringify(MERGE)] })
  await clock.advance(MINUTE)
  const calls = () => model.requests.length
  const before = calls()
  expect(await json('run')).toMatchObject({ proposals: [] })
  expect(calls()).toBe(before)
  const { proposals } = await json('run', '--consolidate')
  expect(proposals).toEqual([
    { kind: 'merge', skill: 'bees', into: 'ode', reason: 'Both are seasonal.', author: 'model' },
  ])
  expect(calls()).toBe(before + 1)
  const asked =
    model.requests
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join('\n') ?? ''
  expect(asked).toContain('Feed them.')
  expect(asked).not.toContain('Do poem.')
  expect(existsSync(usage)).toBe(false)
  expect(await all()).toEqual(['bees', 'ode', 'poem'])
  expect((await svc('status')).out).toContain('merge bees into ode: Both are seasonal. (proposed by a model)')
  expect((await svc('accept', '1', '--yes')).code).toBe(0)
  expect((await skills.read('ode', { path: 'references/bees.md' })).text).toBe('Feed them.\n')
  expect(await json('restore', 'bees')).toMatchObject({ name: 'bees' })
})

test('a pass without an answer that can be read is made by its rules, and says so', async () => {
  const { svc, clock } = await open(['ode', 'bees'], { said: ['Merge them all!'] })
  await clock.advance(11 * MINUTE)
  const { code, out, err } = await svc('run', '--consolidate')
  expect(code).toBe(1)
  expect(out.match(/retire (?:ode|bees): not used/g)).toHaveLength(2)
  expect(err).toBe('No model made proposals: The answer of the model cannot be read.\n')
})

test('of an answer only skills that were asked about count, each once, and no more than ten', () => {
  const skills = Array.from({ length: 30 }, (_, at): WrittenSkill => {
    return { name: `s${at}`, description: 'd', lastAt: at }
  })
  const read = (answer: unknown) => readProposals(JSON.stringify(answer), skills)
  const merge = (from: string, into: string) => ({ from, into, reason: '' })
  expect(read({ merges: [merge('s1', 's1'), merge('rm -rf', 's2'), merge('s1', 'user-skill')] })).toEqual([])
  expect(read({ merges: [merge('s1', 's2'), merge('s2', 's3'), merge('s4', 's1'), merge('s1', 's5')] })).toMatchObject([
    { skill: 's1', into: 's2', reason: 'no reason was given' },
  ])
  expect(
    read({ merges: [merge('s1', 's2')], prunings: [{ name: 's2' }, { name: 's1' }, { name: 's3' }] }),
  ).toMatchObject([{ kind: 'merge' }, { kind: 'retire', skill: 's3' }])
  expect(read({ prunings: skills.map(({ name }) => ({ name })) })).toHaveLength(10)
  expect(readProposals('no', skills)).toBeUndefined()
})

test('a skill that a job uses is not archived and in no proposal, until the job is removed', async () => {
  const { kernel, clock, json, all, svc } = await open(['ode', 'hymn', 'bees'], {
    plugins: ['skills', 'conversation', 'prompt', 'cron'],
  })
  const jobs = kernel.use(CronJobs)
  const schedule = await jobs.parse('every 30d')
  const { id } = await jobs.create({ schedule, prompt: 'Praise the day.', skills: ['ode'] })
  await jobs.create({ schedule, prompt: 'Use /bees and write to https://example.com/hymn', skills: [] })
  await clock.advance(31 * MINUTE)
  expect(await json('run')).toMatchObject({ archived: ['hymn'], proposals: [] })
  expect(await all()).toEqual(['bees', 'ode', 'poem'])
  await jobs.remove(id)
  expect(await json('run')).toMatchObject({ archived: ['ode'] })
  expect((await svc('accept', '1')).code).toBe(1)
})

test('the dashboard shows the curator, pauses it, does a proposal and brings a skill back', async () => {
  const { clock, kernel, json, all, svc } = await open(['ode', 'bees'], {
    plugins: ['skills', 'conversation', 'prompt', 'dashboard'],
  })
  await using served = await kernel.use(Dashboard).serve({ port: 0 })
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { 'x-svc-session-token': kernel.use(Dashboard).token, 'content-type': 'application/json' }
    const reply = await fetch(`${served.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
    return { status: reply.status, json: (await reply.json()) as any }
  }
  expect((await ask('GET', '/api/curator')).json).toMatchObject({ enabled: true, paused: false, last_run_at: null })
  expect((await ask('PUT', '/api/curator/paused', { paused: true })).json.paused).toBe(true)
  expect(await json('status')).toMatchObject({ paused: true })
  expect((await ask('PUT', '/api/curator/paused', { paused: 'no' })).status).toBe(400)
  await svc('pin', 'bees')
  await clock.advance(11 * MINUTE)
  await json('run')
  const { proposals } = (await ask('GET', '/api/curator')).json
  expect(proposals).toMatchObject([{ kind: 'retire', skill: 'ode', into: null, by_model: false }])
  const done = await ask('POST', `/api/curator/proposals/${proposals[0].id}`, {})
  expect(done.json).toMatchObject({ proposals: [], archived: [{ name: 'ode' }] })
  expect((await ask('POST', `/api/curator/proposals/${proposals[0].id}`, {})).status).toBe(404)
  expect(await all()).toEqual(['bees', 'poem'])
  expect((await ask('POST', '/api/curator/archive/ode/restore', {})).status).toBe(200)
  expect(await all()).toEqual(['bees', 'ode', 'poem'])
  expect((await ask('POST', '/api/curator/archive/ode/restore', {})).status).toBe(404)
})
