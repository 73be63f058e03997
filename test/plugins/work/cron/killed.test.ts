/** Gateways that are killed for real while they run jobs: what was begun is finished or closed with the truth, and told once. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CronJobs } from 'svc/sdk/jobs'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { GatewayHome, kill } from '../../../faults/gateway-restart.ts'
import { type RecordedRequest, startModelServer } from '../../../support/model-server.ts'

const EVENTUALLY = { timeout: 60_000, interval: 50 }
const NAMES = ['script', 'turn', 'keep', 'told']

test('a gateway is killed in a script, in a turn, before a message is sent and after it has arrived', {
  timeout: 240_000,
}, async () => {
  let pid = 0
  let turns = 0
  const server = await startModelServer({
    replies: ({ raw }: RecordedRequest) => {
      const name = /the job \\"(\w+)\\"/.exec(raw.toString())?.[1] ?? 'nobody'
      if (name === 'turn' && ++turns === 1) kill(pid)
      return `The words of ${name}.`
    },
  })
  onTestFinished(() => server.close())
  const model = `model: { provider: custom, base_url: "${server.url}", default: fake-model }\n`
  const place = new GatewayHome(`${model}cron: { wrap_response: false }\n`)
  onTestFinished(() => place.close())
  mkdirSync(join(place.home, 'scripts'))
  writeFileSync(join(place.home, 'scripts', 'kill.sh'), 'kill -9 $PPID; sleep 60\n')
  const begin = () => place.begin(['run'], { NODE_OPTIONS: `--require ${join(import.meta.dirname, 'kill-at.cjs')}` })
  let running = begin()
  pid = (await place.ready()).pid
  // Made in the chat, so that is where they tell what came of them.
  for (const name of NAMES) {
    place.write(`/cron add 30d "Say it" --name ${name}`)
    await expect.poll(() => place.heard().join(), EVENTUALLY).toContain(`Added ${name} `)
  }
  const observer = await testKernel({ home: place.home, plugins: ['cron'] })
  onTestFinished(() => observer.stop())
  const cron = observer.use(CronJobs)
  await cron.edit('script', { script: 'kill.sh' })
  const before = place.heard().length
  for (const name of NAMES) {
    if (name === 'keep' || name === 'told') writeFileSync(join(place.home, 'kill-at'), name)
    await cron.trigger(name)
    // It is started again three times, then no more.
    if (name === 'told') {
      await running.ended
      running = begin()
    }
    pid = (await place.ready(pid)).pid
    await expect.poll(async () => (await cron.runs({ job: name }))[0]?.outcome, EVENTUALLY).toBe('ran')
  }
  await expect.poll(() => place.heard().slice(before), EVENTUALLY).toHaveLength(4)
  expect(place.heard().slice(before)).toEqual([
    expect.stringMatching(/^The job script was cut off: its process died while a program of it was at work/),
    'The words of turn.',
    'The words of keep.',
    'The words of told.',
  ])
  const runs = (await cron.runs()).toReversed()
  expect(runs).toMatchObject([
    { status: 'crashed', attempts: 2 },
    { status: 'ok', attempts: 2 },
    { status: 'ok', attempts: 2 },
    { status: 'ok' },
  ])
  expect(runs.filter(({ deliveryError }) => deliveryError !== undefined)).toEqual([])
})
