/** `svc cron`, as it is typed. */
import { CronJobs } from 'svc/sdk/jobs'
import { fakeProvider, fakeTalk, type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function start(): Promise<{ kernel: TestKernel; cron(...argv: string[]): Promise<string> }> {
  const kernel = await testKernel({
    plugins: ['cron-cli'],
    clock: virtualClock(),
    config: { cron: { timezone: 'UTC' } },
  })
  onTestFinished(() => kernel.stop())
  return {
    kernel,
    async cron(...argv) {
      const { code, out, err } = await kernel.run(['cron', ...argv])
      return code === 0 ? out : `${code} ${err}`
    },
  }
}

test('a job is added, listed, changed, paused, resumed, removed and restored', async () => {
  const { cron } = await start()
  const added = await cron('add', '0 9 * * mon-fri', 'Sum up the mail', '--name', 'mail', '--timezone', 'Europe/Zurich')
  expect(added).toMatch(/^Added mail \([0-9a-f]{12}\)\. It is due 2026-01-01 09:00 Europe\/Zurich\.\n$/)
  expect(await cron('list')).toMatch(/mail +scheduled .*0 9 \* \* mon-fri \(Europe\/Zurich\)\n1 job\n$/)
  expect(
    await cron('edit', 'mail', '--schedule', 'every 90m', '--deliver', 'telegram:5,file', '--budget', '2'),
  ).toMatch(/^Changed mail: every 1h30m, due /)
  const shown = JSON.parse(await cron('show', 'mail', '--json'))
  expect(shown).toMatchObject({ deliver: ['telegram:5', 'file'], budgetUsd: 2, prompt: 'Sum up the mail', runs: [] })
  expect(shown.next).toHaveLength(5)
  expect(await cron('edit', 'mail', '--budget', '', '--add-skill', 'tidy')).toMatch(/^Changed/)
  expect(JSON.parse(await cron('show', 'mail', '--json'))).toMatchObject({ skills: ['tidy'] })
  expect(await cron('pause', 'mail', '--reason', 'holidays')).toMatch(/^Paused mail/)
  expect(await cron('show', 'mail')).toMatch(/state +paused: holidays/)
  expect(await cron('resume', 'mail')).toMatch(/^Resumed mail/)
  expect(await cron('remove', 'mail')).toMatch(/bring it back: svc cron restore [0-9a-f]{12}/)
  expect(await cron('list')).toMatch(/There are no jobs/)
  expect(await cron('restore', 'mail')).toMatch(/^Restored mail/)
  expect(await cron('run', 'mail')).toMatch(/^Queued/)
  expect(await cron('history', 'mail')).toMatch(/mail +queued by hand/)
  expect(await cron('status')).toMatch(/1 scheduled, 0 paused[\s\S]*1 queued[\s\S]*none looked yet/)
})

test('what cannot be is refused with what to do', async () => {
  const { cron } = await start()
  expect(await cron('add', 'soon', 'x')).toMatch(/^1 .*not a schedule. Write 30m/)
  expect(await cron('add', '0 0 30 2 *', 'x')).toMatch(/CRON_NEVER/)
  expect(await cron('add', '30m')).toMatch(/Say what the job is to do/)
  expect(await cron('add', '30m', 'x', '--repeat', 'often')).toMatch(/--repeat: "often" is not a number/)
  expect(await cron('add', '30m', 'x', '--timezone', 'Mars/Base')).toMatch(/no time zone "Mars\/Base"/)
  expect(await cron('add', '30m', 'x', '--misfire', 'never')).toMatch(/CRON_INPUT/)
  expect(await cron('edit', 'x', '--name', 'y')).toMatch(/CRON_UNKNOWN/)
  expect(await cron('list')).toMatch(/There are no jobs/)
})

test('other words are read by a model, shown, and added only after a yes', async () => {
  const answer = JSON.stringify({ schedule: '0 9 * * mon-fri', prompt: 'Remind me to stretch', name: 'stretch' })
  const model = fakeProvider([answer, answer, 'I do not know'])
  const kernel = await testKernel({
    plugins: ['cron-cli'],
    with: [model.plugin],
    clock: virtualClock(),
    config: { cron: { timezone: 'UTC' }, model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  const add = (answers: string[]) =>
    kernel.run(['cron', 'add', 'remind me every weekday at nine to stretch'], { interactive: true, answers })
  expect(await add(['n'])).toMatchObject({ code: 1, out: expect.stringMatching(/schedule +0 9 \* \* mon-fri \(UTC\)/) })
  expect((await kernel.run(['cron', 'list'])).out).toMatch(/There are no jobs/)
  expect(await add(['y'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Remind me to stretch[\s\S]*Added stretch/),
  })
  expect(await add(['y'])).toMatchObject({ code: 1, err: expect.stringMatching(/CRON_SCHEDULE/) })
})

test('a conversation has the same commands, and a chat where a job was made is where it tells what came of it', async () => {
  const answer = JSON.stringify({ schedule: '0 9 * * mon-fri', prompt: 'Remind me to stretch', name: 'stretch' })
  const model = fakeProvider([answer, answer])
  const kernel = await testKernel({
    plugins: ['cron', 'cron-cli', 'conversation'],
    with: [model.plugin],
    clock: virtualClock(),
    config: { cron: { timezone: 'UTC' }, model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  const cron = kernel.use(CronJobs)
  const by = { platform: 'fake', chatId: 'team', threadId: '7', userId: 'ada' }
  const chat = (confirm: boolean) => fakeTalk(kernel, { surface: 'fake', commands: 'gateway', by, person: { confirm } })
  const terminal = fakeTalk(kernel)
  expect(await terminal.type('/cron add every 2h Look for mail --name post')).toMatch(/Added post/)
  expect(await terminal.type('/cron add TZ=Asia/Tokyo 0 9 * * * Ring the bell')).toMatch(/Added Ring the bell/)
  expect(await chat(false).type('/cron create 30m Bread')).toMatch(/Added Bread/)
  expect(await cron.get('post')).not.toHaveProperty('origin')
  expect(await cron.get('bread')).toMatchObject({ origin: 'fake:team:7', prompt: 'Bread' })
  expect(await cron.get('Ring the bell')).toMatchObject({
    schedule: { timeZone: 'Asia/Tokyo', expression: '0 9 * * *' },
  })
  const words = '/cron add remind me every weekday at nine to stretch'
  expect(await chat(false).type(words)).toBe('Nothing was changed.')
  expect(await chat(true).type(words)).toMatch(/Added stretch/)
  expect(await cron.get('stretch')).toMatchObject({ prompt: 'Remind me to stretch', origin: 'fake:team:7' })
  expect(await terminal.type('/cron add at some time')).toMatch(/not a schedule/)
  expect(await terminal.type('/cron add 0 0 30 2 * x')).toMatch(/never comes/)
  expect(await terminal.type('/cron pause ring the bell')).toMatch(/Paused Ring the bell/)
  expect(await terminal.type('/cron run post --wait')).toMatch(/^Queued/)
  expect(await terminal.type('/cron tick')).toMatch(/\/cron knows: add, list/)
  expect(await terminal.type('/cron rm post')).toMatch(/bring it back/)
  expect(await terminal.type('/cron')).toMatch(/stretch[\s\S]*3 jobs/)
})
