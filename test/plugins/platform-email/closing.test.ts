import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { emailFake } from '../../../sdk/testing/platforms/email.ts'
import { openBooth } from '../../support/platform-stage.ts'

const PATIENCE = { timeout: 10_000 }

test('a mailbox that is closed while it is being opened leaves no connection behind', async () => {
  const fake = await emailFake()
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
