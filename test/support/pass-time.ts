/** The time in which an outbox delivers what it has, with a virtual clock. */
import type { Outbox } from 'svc/sdk/platform'
import type { virtualClock } from 'svc/sdk/testing'

/** `stay` opens what was lost again, as the gateway does. */
export async function passTime(
  clock: ReturnType<typeof virtualClock>,
  outbox: Outbox,
  stay: () => Promise<void>,
): Promise<void> {
  let isOver = false
  const work = outbox.idle().then(() => {
    isOver = true
  })
  for (let seconds = 0; !isOver && seconds < 3600; seconds++) {
    await stay()
    await clock.advance(1000)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await work
}
