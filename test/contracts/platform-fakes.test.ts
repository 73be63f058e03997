import { LINE_FAULTS, SEND_FAULTS } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError, type Platform, type SendFault, type StandInService } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createStages, Ear } from '../support/platform-stage.ts'
import { openStandIn, standInNames } from '../support/stand-ins.ts'

/** What the gateway is told of a send that goes wrong like that; doubt is `busy` where a repeated message makes no second. */
const KINDS: Readonly<Record<SendFault, readonly string[]>> = {
  busy: ['busy'],
  unavailable: ['busy'],
  lost: ['busy', 'unsure'],
  unanswered: ['busy', 'unsure'],
  forbidden: ['refused'],
}

/** Someone who wrote to svc: some services let no one else be answered. */
async function talking(name: string) {
  // Services sign with the time of this machine.
  const clock = virtualClock(Date.now())
  const { fake, platform, ear } = await createStages(name, () => openStandIn(name)).connected({ clock })
  const { chatId, say } = fake.member()
  await say('hello')
  await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBeGreaterThan(0)
  const send = (key: string) => platform.send({ chatId, text: `words of ${key}.`, key })
  return { fake, platform, clock, send }
}

function arrivals(fake: StandInService, key: string): number {
  return fake.deliveries().filter(({ visible }) => visible.includes(`words of ${key}.`)).length
}

/** As the gateway does it when a connection was lost. */
async function again(platform: Platform): Promise<void> {
  if (await platform.probe()) return
  await platform.close()
  await platform.connect(new Ear())
}

describe.for(standInNames)('the stand-in for the service of %s', (name) => {
  test('does to a message what each of its faults says, and is well again once it is calmed', async () => {
    const { fake, platform, clock, send } = await talking(name)
    for (const fault of fake.sendFaults) {
      fake.failSends(fault)
      const failure: unknown = await send(fault).catch((error: unknown) => error)
      const isKnown = !(failure instanceof Error)
      const { kind, retryAfterMs = 0 } = classifyDeliveryError(failure)
      // Anyone who can repeat a message unseen may have done so by itself.
      if (isKnown) expect(['lost', 'unanswered']).toContain(fault)
      else expect(KINDS[fault], fault).toContain(kind)
      expect(arrivals(fake, fault), fault).toBe(isKnown || fault === 'unanswered' ? 1 : 0)
      fake.calm()
      await clock.advance(retryAfterMs)
      await again(platform)
      await send(`after ${fault}`)
      await expect.poll(() => arrivals(fake, `after ${fault}`)).toBe(1)
    }
  })

  test('forgets the faults that wait when it is calmed', async () => {
    const { fake, send } = await talking(name)
    fake.failSends('forbidden', 3)
    fake.calm()
    await send('calm')
    await expect.poll(() => arrivals(fake, 'calm')).toBe(1)
  })

  test('says which faults it has, and refuses others', async () => {
    const fake = await openStandIn(name)
    onTestFinished(() => fake.close())
    expect(SEND_FAULTS).toEqual(expect.arrayContaining([...fake.sendFaults]))
    expect(LINE_FAULTS).toEqual(expect.arrayContaining([...fake.lineFaults]))
    for (const fault of SEND_FAULTS.filter((each) => !fake.sendFaults.includes(each)))
      expect(() => fake.failSends(fault)).toThrow(fault)
    for (const fault of LINE_FAULTS.filter((each) => !fake.lineFaults.includes(each)))
      expect(() => fake.disturb(fault)).toThrow(fault)
  })
})
