import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-email/stand-in/service.ts'
import { connectedBooth, openBooth } from '../../../../support/platform-stage.ts'

const PATIENCE = { timeout: 10_000 }

test('a mail counts as sent from its last line on, not from the connection on', async () => {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  const { platform } = await connectedBooth('email', fake)
  const seen: string[] = []
  const send = (key: string) =>
    platform.send({
      ...{ chatId: 'ann@people.example', text: 'hello', key },
      commit: () => void seen.push(`${key} with ${fake.sent().length} taken`),
    })
  for (const fault of ['busy', 'unavailable', 'forbidden', 'lost'] as const) {
    fake.failSends(fault)
    await expect(send(fault)).rejects.toThrow()
  }
  expect(seen).toEqual([])
  fake.failSends('unanswered')
  await expect(send('unanswered')).rejects.toThrow()
  await send('fine')
  expect(seen).toEqual(['unanswered with 0 taken', 'fine with 1 taken'])
})

test('a mailbox that is closed while it is being opened leaves no connection behind', async () => {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  // Each time a little later: in the login, while the mailbox is opened, after it.
  for (let rounds = 0; rounds < 60; rounds += 3) {
    const { platform, ear, close } = await openBooth('email', fake)
    const connecting = platform.connect(ear).catch(() => undefined)
    for (let round = 0; round < rounds; round++) await nextRound()
    ear.abort()
    await platform.close()
    await connecting
    await vi.waitFor(() => expect(fake.connections(), `after ${rounds} rounds`).toBe(0), PATIENCE)
    await close()
  }
}, 60_000)
