/** Files through the outbox to every stand-in, whatever happens to the first attempt. */
import { Outbox } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { passTime } from '../support/pass-time.ts'
import { createStages } from '../support/platform-stage.ts'
import { openStandIn, standInNames } from '../support/stand-ins.ts'

const names = ['one.png', 'two.png', 'plan.pdf']
const files = names.map((name) => ({ name, bytes: Buffer.from(`bytes of ${name}`) }))

/** An outbox that serves the platform, and someone who wrote to svc. */
async function talking(name: string) {
  // Services sign with the time of this machine.
  const clock = virtualClock(Date.now())
  const { connected } = createStages(name, () => openStandIn(name))
  const { fake, platform, ear, kernel } = await connected({ clock, plugins: ['outbox', 'markup'] })
  const { chatId, say } = fake.member()
  await say('hello')
  await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBeGreaterThan(0)
  const outbox = kernel.use(Outbox)
  outbox.serve(platform)
  const post = () => outbox.post({ platform: name, chatId, key: 'k', text: 'Look.', files })
  let losses = 0
  /** A connection that was lost is opened again, as the gateway does. */
  const stay = async () => {
    if (ear.losses.length > losses) {
      losses = ear.losses.length
      await platform.connect(ear)
    }
  }
  return { fake, platform, clock, outbox, post, passTime: () => passTime(clock, outbox, stay) }
}

/** How often people got each file. */
function copies(fake: Awaited<ReturnType<typeof talking>>['fake']): readonly number[] {
  const all = fake.deliveries().flatMap((each) => each.files.map(({ bytes }) => Buffer.from(bytes).toString()))
  return names.map((name) => all.filter((text) => text === `bytes of ${name}`).length)
}

describe.for(standInNames)('files for %s', (name) => {
  test('arrive once each, with their words, or are told in words', async () => {
    const { fake, platform, post, passTime } = await talking(name)
    const { declined } = post()
    await passTime()
    const words = fake.deliveries().map(({ visible }) => visible)
    if (platform.limits.files === undefined) {
      expect(declined.map((each) => each.name)).toEqual(names)
      // A webhook has no one to tell.
      if (words.length > 0) for (const each of names) expect(words.join('\n')).toContain(each)
    } else {
      expect(copies(fake)).toEqual([1, 1, 1])
      expect(words.join('\n')).toContain('Look.')
    }
    expect(words.join('\n')).not.toContain(process.cwd())
  })

  test('are never doubled and never lost in silence when an attempt goes wrong', async () => {
    const { fake: first } = await talking(name)
    for (const fault of first.sendFaults.filter((each) => each !== 'forbidden')) {
      const { fake, platform, outbox, post, passTime } = await talking(name)
      if (platform.limits.files === undefined) return
      fake.failSends(fault)
      post()
      await passTime()
      const { uncertain, failed, pending } = outbox.counts()
      const count = copies(fake)
      expect(Math.max(...count), `${fault}: doubled`).toBeLessThan(2)
      expect([pending, failed], fault).toEqual([0, 0])
      if (uncertain === 0) expect(count, `${fault}: lost`).toEqual([1, 1, 1])
    }
  })
})
