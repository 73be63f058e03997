/** What `svc status` shows of an installation, and that a part of it that fails hides no other. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Home, Sessions, SvcError } from 'svc/sdk'
import type { InlinePlugin } from 'svc/sdk/host'
import { CronJobs } from 'svc/sdk/jobs'
import { Boards } from 'svc/sdk/kanban'
import { type StatusSection, StatusSections } from 'svc/sdk/operations'
import { Credentials } from 'svc/sdk/provider'
import { fakeProvider, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'

interface Shown {
  readonly problems: number
  readonly warnings: number
  readonly sections: readonly {
    readonly section: string
    readonly title: string
    readonly lines: readonly {
      readonly label: string
      readonly text: string
      readonly state?: string
      readonly fix?: string
    }[]
  }[]
}

const MODEL = { model: { provider: 'fake', default: 'fake-1' } }

const withSections = (...sections: readonly StatusSection[]): InlinePlugin => ({
  name: 'extra-sections',
  contributes: { 'status-sections': sections.map(({ name }) => name) },
  with: ['status-report'],
  setup(ctx) {
    for (const section of sections) ctx.add(StatusSections, section)
  },
})

async function open(options: Parameters<typeof testKernel>[0] = {}) {
  const kernel = await testKernel({ plugins: ['status-report'], config: MODEL, ...options })
  onTestFinished(() => kernel.stop())
  const show = async (...args: string[]) => {
    const { code, out } = await kernel.run(['status', '--json', ...args])
    const shown = JSON.parse(out) as Shown
    const lines = (section: string) => shown.sections.find((each) => each.section === section)?.lines
    return { code, shown, lines }
  }
  return { kernel, show }
}

test('a new installation shows what it has, what does not run yet, and no section that is empty', async () => {
  const { kernel, show } = await open({ with: [fakeProvider(['hi']).plugin] })
  const { code, shown, lines } = await show()
  expect(code).toBe(0)
  expect(shown.sections.map(({ section }) => section)).toEqual([
    ...['installation', 'model', 'gateway', 'dashboard', 'jobs', 'spending', 'conversations'],
  ])
  expect(lines('installation')).toEqual([
    { label: 'Version', text: expect.stringMatching(/^svc \d+\.\d+\.\d+, Node v\d+/) },
    { label: 'Home', text: kernel.use(Home).dir },
    { label: 'Config', text: join(kernel.home, 'config.yaml'), state: 'ok' },
  ])
  expect(lines('model')).toEqual([{ label: 'Answers', text: 'fake-1 of fake' }])
  expect(lines('gateway')).toEqual([{ label: 'Gateway', text: 'not running', fix: 'svc gateway start' }])
  expect(lines('jobs')).toEqual([{ label: 'Jobs', text: 'none' }])
  expect(lines('spending')).toEqual([
    { label: 'Today', text: 'nothing' },
    { label: 'This month', text: 'nothing' },
  ])
  expect(lines('conversations')).toEqual([{ label: 'Stored', text: 'none' }])
})

test('jobs that no gateway runs, blocked tasks, keys that were given up and stored conversations are named', async () => {
  const clock = virtualClock(Date.UTC(2026, 10, 30, 12))
  const { kernel, show } = await open({
    with: [fakeProvider(['hi']).plugin],
    clock,
    plugins: ['status-report', 'agent'],
  })
  const jobs = kernel.use(CronJobs)
  await jobs.create({ name: 'mail', prompt: 'Look for mail.', schedule: await jobs.parse('every 2h') })
  await kernel.use(Boards).create({ title: 'paint the door', by: 'ada' })
  await kernel.use(Credentials).add({ provider: 'openai', key: 'sk-one-two-three-four-5678', label: 'work' })
  kernel.use(Sessions).create({ surface: 'cli', cwd: kernel.home })
  const { lines } = await show()
  expect(lines('jobs')).toEqual([
    { label: 'Jobs', text: 'scheduled: 1, paused: 0, running: 0' },
    { label: 'Next run', text: 'in 2h 00m, but no gateway runs', state: 'warning', fix: 'svc gateway start' },
  ])
  expect(lines('board')).toEqual([{ label: 'Tasks', text: expect.stringMatching(/^\w+: 1$/) }])
  expect(lines('keys')).toEqual([{ label: 'openai', text: '1 stored', state: 'ok' }])
  expect(JSON.stringify(lines('keys'))).not.toContain('sk-')
})

test('a section that fails, and one that never answers, are problems with a way on, and hide no other', async () => {
  const clock = virtualClock()
  const broken: StatusSection = {
    ...{ name: 'broken', title: 'Broken' },
    read: async () => Promise.reject(new SvcError('TEST', 'The disk cannot be read.')),
  }
  const stuck: StatusSection = { name: 'stuck', title: 'Stuck', read: () => new Promise(() => {}) }
  const { kernel } = await open({ with: [fakeProvider(['hi']).plugin, withSections(broken, stuck)], clock })
  const running = kernel.run(['status', '--json'])
  await expect.poll(() => clock.pending()).toBeGreaterThan(0)
  await clock.advance(5000)
  const shown = JSON.parse((await running).out) as Shown
  const fix = 'svc logs --level warn --since 5m'
  expect(shown.sections.filter(({ section }) => ['broken', 'stuck'].includes(section))).toEqual([
    {
      ...{ section: 'broken', title: 'Broken' },
      lines: [{ label: 'Broken', text: 'could not be read: The disk cannot be read.', state: 'problem', fix }],
    },
    {
      ...{ section: 'stuck', title: 'Stuck' },
      lines: [{ label: 'Stuck', text: 'could not be read: it took longer than 5 s', state: 'problem', fix }],
    },
  ])
  expect(shown.sections.some(({ section }) => section === 'model')).toBe(true)
})

test('a model that is not connected is a problem that --deep ends with; one section is shown alone', async () => {
  const { kernel, show } = await open({ config: {} })
  const { code, shown, lines } = await show()
  expect([code, shown.problems]).toEqual([0, 1])
  expect(lines('model')).toMatchObject([{ state: 'problem', fix: 'svc setup model' }])
  const deep = await show('--deep')
  expect(deep.code).toBe(1)
  expect(deep.lines('checks')).toContainEqual(expect.objectContaining({ label: 'Model', state: 'problem' }))
  const alone = await kernel.run(['status', 'model'])
  expect(alone.out).toMatch(/^Model\n! Answers {2}No model is connected.*\n {11}-> svc setup model\n$/)
  const typo = await kernel.run(['status', 'modle'])
  expect(typo.err).toContain('There is no section "modle". Sections: installation, model,')
})

test('a block of config.yaml that a plugin refuses is a problem with a way on, and the command runs all the same', async () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), 'budget: nonsense\n')
  const kernel = await testKernel({ plugins: ['status-report'], home })
  onTestFinished(() => kernel.stop())
  const { code, out } = await kernel.run(['status', 'installation', '--json'])
  expect(code).toBe(0)
  const line = { label: 'Plugins', text: 'not running: budgets', state: 'problem', fix: 'svc doctor' }
  expect((JSON.parse(out) as Shown).sections[0]?.lines).toContainEqual(line)
})
