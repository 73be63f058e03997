/** The platform as the gateway would have it, and somebody who listens. */
import type { Clock, Inbound, Platform, PlatformLink } from 'svc/sdk'
import { Platforms } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'

/** Where it connects to. */
export interface Place {
  readonly config: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  readonly clock?: Clock
}

/** Stands in for the gateway. */
export class Listener implements PlatformLink {
  readonly received: Inbound[] = []
  readonly losses: { readonly reason: string; readonly code?: string; readonly final?: boolean }[] = []
  /** Thrown for each message while it is set. */
  refusal: Error | undefined
  alives = 0
  readonly #abort = new AbortController()
  readonly signal: AbortSignal = this.#abort.signal

  async receive(message: Inbound): Promise<void> {
    if (this.refusal) throw this.refusal
    this.received.push(message)
  }

  alive(): void {
    this.alives++
  }

  lost(reason: string, options: { readonly final?: boolean; readonly code?: string } = {}): void {
    this.losses.push({ reason, ...options })
  }

  texts(): readonly string[] {
    return this.received.map(({ text }) => text)
  }

  abort(): void {
    this.#abort.abort()
  }
}

/** The platform out of a real kernel. */
export async function openPlatform({ config, env = {}, clock }: Place): Promise<{
  readonly platform: Platform
  close(): Promise<void>
}> {
  const kernel = await testKernel({
    plugins: ['platform-irc'],
    config: { platforms: { irc: config } },
    env,
    ...(clock && { clock }),
  })
  const platform = kernel.all(Platforms).get('irc')
  if (!platform) throw new Error(`there is no platform irc: ${JSON.stringify(kernel.problems())}`)
  return {
    platform,
    async close() {
      await platform.close()
      await kernel.stop()
    },
  }
}

/** Connected until the test is over. */
export async function connected(place: Place): Promise<{ readonly platform: Platform; readonly link: Listener }> {
  const { platform, close } = await openPlatform(place)
  onTestFinished(close)
  const link = new Listener()
  await platform.connect(link)
  return { platform, link }
}
