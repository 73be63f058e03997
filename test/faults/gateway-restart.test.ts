import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Reply } from '../support/model-replies.ts'
import { type RecordedRequest, startModelServer } from '../support/model-server.ts'
import { countToday } from '../support/today.ts'
import { GatewayHome, kill, runs, type Status } from './gateway-restart.ts'

const LONG = { timeout: 90_000 }
const EVENTUALLY = { timeout: 30_000, interval: 50 }

function home(config?: string): GatewayHome {
  const made = new GatewayHome(config)
  onTestFinished(() => made.close())
  return made
}

/** With a model that is asked through `reply`. */
async function homeWith(reply: (request: RecordedRequest, index: number) => Reply, more = '') {
  const server = await startModelServer({ replies: reply })
  onTestFinished(() => server.close())
  const model = `model:\n  provider: custom\n  base_url: ${server.url}\n  default: fake-model\n`
  return { place: home(`${model}${more}`), server }
}

const isNext = countToday(4)
/** Half of them each day: they wait for processes that end and start. */
const story = (name: string, limits: typeof LONG, tell: () => Promise<void>) =>
  test.skipIf(!isNext())(name, limits, tell)

story('a gateway is started, tells how it is, answers, and is stopped', LONG, async () => {
  const { place } = await homeWith(() => 'Hello Ann.')
  expect(await place.run(['status'])).toMatchObject({ code: 1, out: expect.stringContaining('not running') })
  const started = await place.run(['start'])
  expect(started).toMatchObject({ code: 0, out: expect.stringMatching(/running.*spool +connected/s) })
  const { pid, supervisor, ...status } = JSON.parse((await place.run(['status', '--json'])).out) as Status
  expect(status).toMatchObject({ isRunning: true, isReady: true, state: 'running' })
  expect(status.platforms.find(({ name }) => name === 'spool')).toMatchObject({ state: 'connected' })
  place.write('hi')
  await place.hears('Hello Ann.')
  expect((await place.run(['status'])).out).toMatch(/Outbox +0 to be sent, 0 uncertain, 0 failed/)
  expect(await place.run(['start'])).toMatchObject({ code: 0, out: expect.stringContaining(`process ${pid}`) })
  expect(await place.run(['stop'])).toMatchObject({ code: 0, out: expect.stringContaining('has stopped') })
  expect([runs(pid), runs(supervisor ?? 0)]).toEqual([false, false])
  expect(await place.status()).toMatchObject({ isRunning: false, state: 'stopped', exitReason: 'svc gateway stop' })
  expect(readFileSync(join(place.home, 'logs', 'gateway.log'), 'utf8')).toMatch(/^\d{4}-.*Z spool +connected$/m)
  expect(await place.run(['stop'])).toMatchObject({ code: 0, out: expect.stringContaining('does not run') })
})

story('a platform is paused and connected again while the gateway runs', LONG, async () => {
  const place = home()
  await place.run(['start'])
  expect((await place.run(['pause', 'spool'])).out).toMatch(/spool +paused/)
  expect((await place.status()).platforms.find(({ name }) => name === 'spool')).toMatchObject({ state: 'paused' })
  expect((await place.run(['resume', 'spool'])).out).toMatch(/spool +connected/)
  expect(await place.run(['pause', 'pigeon'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('GATEWAY_PLATFORM'),
  })
})

story('a second gateway of a home is refused, and takes the place of the first when it is told to', LONG, async () => {
  const place = home()
  const first = place.begin(['run'])
  const { pid } = await place.ready()
  expect(await place.run(['run'])).toMatchObject({ code: 1, err: expect.stringContaining('GATEWAY_RUNNING') })
  const second = place.begin(['run', '--replace', '--json'])
  const now = await place.ready(pid)
  expect(await first.ended).toMatchObject({ code: 0 })
  expect(now.supervisor).toBe(second.child.pid)
  expect(JSON.parse(second.said.out.split('\n')[0] ?? '')).toMatchObject({ type: 'platform' })
  second.child.kill('SIGTERM')
  expect(await second.ended).toMatchObject({ code: 0 })
})

story('a gateway that is killed is started again, and continues with the answer it was at', LONG, async () => {
  const { place, server } = await homeWith((_request, index) =>
    index === 0 ? { text: 'late', delayMs: 20_000 } : 'Here I am.',
  )
  const run = place.begin(['run'])
  const { pid, supervisor } = await place.ready()
  place.write('hi')
  await expect.poll(() => server.requests.length, EVENTUALLY).toBe(1)
  kill(pid)
  const after = await place.ready(pid)
  expect(after.supervisor).toBe(supervisor)
  await place.hears('Here I am.')
  expect(run.said.err).toMatch(/crashed \(ended by SIGKILL\).*1 of 3/)
  run.child.kill('SIGINT')
  expect(await run.ended).toMatchObject({ code: 0 })
  expect(place.heard().filter((text) => text === 'Here I am.')).toHaveLength(1)
})

story('a gateway that crashes again and again is given up, loudly', LONG, async () => {
  const place = home()
  place.crashAtStart()
  const said = await place.run(['run'])
  expect(said).toMatchObject({ code: 1, err: expect.stringContaining('THE GATEWAY IS DOWN: it crashed 4 times') })
  expect(said.err.match(/starts again in/g)).toHaveLength(3)
  expect(await place.status()).toMatchObject({ isRunning: false, exitReason: 'It crashed: exit code 7.' })
  const started = await place.run(['start'])
  expect(started).toMatchObject({ code: 1, err: expect.stringContaining('THE GATEWAY IS DOWN') })
})

/** Takes a second for `answer 1`, so that something can happen in the middle. */
function slow({ raw }: RecordedRequest): Reply {
  const number = [...raw.toString('utf8').matchAll(/Please answer (\d)/g)].at(-1)?.[1]
  return { text: `Answer ${number}.`, delayMs: 1000 }
}

/** Calls the terminal for `restart 1`, and says that it is done once the terminal has answered. */
function restarts({ raw }: RecordedRequest): Reply {
  const { messages } = JSON.parse(raw.toString('utf8')) as { messages: { role: string; content: unknown }[] }
  const said = messages.map(({ role, content }) => ({ role, text: JSON.stringify(content) }))
  const at = said.findLastIndex(({ role, text }) => role === 'user' && /Please restart/.test(text))
  const number = /restart (\d)/.exec(said[at]?.text ?? '')?.[1]
  if (said.slice(at + 1).some(({ role }) => role === 'tool')) return `Restart ${number} is done.`
  return { calls: [{ name: 'terminal', arguments: { command: 'svc gateway restart' } }] }
}

for (const [drain, seconds] of [
  ['finished before', 30],
  ['cut off and gone on with', 0],
] as const)
  story(
    `a person restarts the gateway three times in the middle of an answer; it is ${drain}, and arrives once`,
    LONG,
    async () => {
      const { place, server } = await homeWith(slow, `gateway:\n  drain_seconds: ${seconds}\n`)
      await place.run(['start'])
      let { pid, supervisor } = await place.ready()
      for (const number of [1, 2, 3]) {
        place.write(`Please answer ${number}`)
        const asked = () => server.requests.filter(({ raw }) => raw.includes(`Please answer ${number}`)).length
        await expect.poll(asked, EVENTUALLY).toBeGreaterThan(0)
        await place.run(['restart'])
        const after = await place.ready(pid)
        expect(after.supervisor).toBe(supervisor)
        await place.hears(`Answer ${number}.`)
        pid = after.pid
        supervisor = after.supervisor
      }
      const answers = place.heard().filter((text) => text.startsWith('Answer'))
      expect(answers).toEqual([1, 2, 3].map((number) => `Answer ${number}.`))
    },
  )

story('the agent cannot restart its own gateway, whatever a person allows', LONG, async () => {
  const { place } = await homeWith(restarts, 'terminal:\n  confine: "off"\n')
  await place.run(['start'])
  const { pid } = await place.ready()
  place.write('Please restart 1')
  await expect
    .poll(() => place.heard().filter((text) => text.includes('svc gateway restart')), EVENTUALLY)
    .toHaveLength(1)
  place.write('yes')
  await place.hears('Restart 1 is done.')
  expect((await place.status()).pid).toBe(pid)
})

story('a stop waits for the answer under way, and says so', LONG, async () => {
  const { place, server } = await homeWith(() => ({ text: 'Just in time.', delayMs: 2500 }))
  await place.run(['start'])
  place.write('hi')
  await expect.poll(() => server.requests.length, EVENTUALLY).toBe(1)
  const stopped = await place.run(['stop'])
  expect(stopped).toMatchObject({ code: 0, err: expect.stringContaining('Waiting for one answer under way.') })
  expect(place.heard()).toEqual(['Just in time.'])
})

story('a gateway that hangs is ended by force when another takes its place', LONG, async () => {
  const place = home()
  const first = place.begin(['run'])
  const { pid } = await place.ready()
  process.kill(pid, 'SIGSTOP')
  place.begin(['run', '--replace'])
  await place.ready(pid)
  await first.ended
  expect(runs(pid)).toBe(false)
})

story('a second Ctrl-C does not wait, and leaves nothing', LONG, async () => {
  const { place, server } = await homeWith(() => ({ text: 'too late', delayMs: 60_000 }))
  const run = place.begin(['run'])
  const { pid } = await place.ready()
  place.write('hi')
  await expect.poll(() => server.requests.length, EVENTUALLY).toBe(1)
  run.child.kill('SIGINT')
  await expect.poll(() => run.said.out, EVENTUALLY).toContain('One answer is waited for.')
  run.child.kill('SIGINT')
  expect(await run.ended).toMatchObject({ code: 130 })
  await expect.poll(() => runs(pid), EVENTUALLY).toBe(false)
})

story('nothing is left when the process that watches is killed, and the next start works at once', LONG, async () => {
  const place = home()
  await place.run(['start'])
  const { pid, supervisor = 0 } = await place.ready()
  kill(supervisor)
  await expect.poll(() => runs(pid), EVENTUALLY).toBe(false)
  expect(await place.status()).toMatchObject({ exitReason: 'the process that watched over it is gone' })
  expect(await place.run(['start'])).toMatchObject({ code: 0 })
})

story('without anyone who watches, a restart is a matter of the exit code', LONG, async () => {
  const place = home()
  const run = place.begin(['run'], { SVC_GATEWAY_NO_SUPERVISE: 'yes' })
  const { pid, supervisor } = await place.ready()
  expect({ pid, supervisor }).toEqual({ pid: run.child.pid, supervisor: undefined })
  run.child.kill('SIGUSR1')
  expect(await run.ended).toMatchObject({ code: 75 })
  const again = place.begin(['run', '--no-supervise'])
  await place.ready()
  again.child.kill('SIGTERM')
  expect(await again.ended).toMatchObject({ code: 0 })
})

story(
  'SIGUSR1 to the process that watches restarts the gateway, and so does the command from outside',
  LONG,
  async () => {
    const place = home()
    const run = place.begin(['run'])
    const first = await place.ready()
    run.child.kill('SIGUSR1')
    const second = await place.ready(first.pid)
    expect(await place.run(['restart'])).toMatchObject({ code: 0 })
    const third = await place.ready(second.pid)
    expect(third.supervisor).toBe(run.child.pid)
  },
)

story('what can never connect ends with 78 and says what to do', LONG, async () => {
  const place = home()
  place.refuse()
  const said = await place.run(['run'])
  expect(said).toMatchObject({ code: 78, err: expect.stringContaining('The spool is closed. Open it.') })
  expect(await place.status()).toMatchObject({
    state: 'startup_failed',
    exitReason: expect.stringContaining('Open it.'),
  })
  expect(await place.run(['start'])).toMatchObject({ code: 78, err: expect.stringContaining('Open it.') })
  const open = home('platforms:\n  telegram:\n    dm_policy: open\nmodel:\n  provider: demo\n')
  const refused = await open.run(['run'])
  expect(refused).toMatchObject({ code: 78, err: expect.stringContaining('GATEWAY_OPEN_DOOR') })
})

story('a gateway without a platform runs, is degraded, and says what to do next', LONG, async () => {
  const place = home('model:\n  provider: demo\n')
  writeFileSync(join(place.home, 'config.yaml'), 'model:\n  provider: demo\n')
  const run = place.begin(['run'])
  const { state } = await place.ready()
  expect(state).toBe('degraded')
  await expect.poll(() => run.said.err, EVENTUALLY).toContain('No platform is set up')
})

story(
  'the service of systemd is written, enabled, and taken away again, with whatever systemctl there is',
  LONG,
  async () => {
    const place = home()
    const log = join(place.home, 'systemctl.log')
    const without = await place.run(['install'], { PATH: join(place.home, 'nowhere') })
    const file = join(place.home, 'user', '.config/systemd/user/svc-gateway.service')
    expect(without).toMatchObject({
      code: 0,
      err: expect.stringMatching(/There is no systemctl here.*systemctl --user daemon-reload/s),
    })
    expect(readFileSync(file, 'utf8')).toContain(`Environment="SVC_HOME=${place.home}"`)
    writeFileSync(join(place.home, 'bin', 'systemctl'), `#!/bin/sh\necho "$@" >> "${log}"\n`, { mode: 0o755 })
    expect(await place.run(['install'])).toMatchObject({ code: 0, out: expect.stringContaining('enable-linger') })
    expect(await place.run(['uninstall'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('To undo this: svc gateway install'),
    })
    expect(existsSync(file)).toBe(false)
    const called = readFileSync(log, 'utf8').trim().split('\n')
    expect(called).toEqual([
      '--user daemon-reload',
      '--user enable svc-gateway.service',
      '--user disable --now svc-gateway.service',
      '--user daemon-reload',
    ])
    mkdirSync(join(place.home, 'other'))
    expect(await place.run(['uninstall'])).toMatchObject({ code: 0, out: expect.stringContaining('is not installed') })
  },
)
