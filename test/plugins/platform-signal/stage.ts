/** A connected platform on a daemon of signal-cli that is made up, and what the gateway would have received. */
import { type Clock, type Inbound, type Platform, type PlatformLink, Platforms } from 'svc/sdk'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterEach } from 'vitest'
import { type SignalFake, signalFake } from '../../../sdk/testing/platforms/signal.ts'

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** Stands in for the gateway. */
export class Ear implements PlatformLink {
  readonly received: Inbound[] = []
  readonly losses: { readonly reason: string; readonly final?: boolean; readonly code?: string }[] = []
  alives = 0
  /** Messages that are refused before the next is taken. */
  refuse = 0
  readonly #abort = new AbortController()
  readonly signal: AbortSignal = this.#abort.signal

  get texts(): string[] {
    return this.received.map(({ text }) => text)
  }

  async receive(message: Inbound): Promise<void> {
    if (this.refuse-- > 0) throw new Error('the inbox is full')
    this.received.push(message)
  }

  alive(): void {
    this.alives++
  }

  lost(reason: string, options: { readonly final?: boolean; readonly code?: string } = {}): void {
    this.losses.push({ reason, ...options })
  }
}

export interface Stage {
  readonly fake: SignalFake
  readonly kernel: TestKernel
  readonly platform: Platform
  readonly ear: Ear
}

/** How it is set up; `env` stands in the place of the account. */
export interface StageOptions {
  readonly fake?: SignalFake
  readonly config?: Record<string, unknown>
  readonly env?: Record<string, string>
  readonly clock?: Clock
}

/** The platform, not connected yet. */
export async function stage({ env, config, clock, ...given }: StageOptions = {}): Promise<Stage> {
  const fake = given.fake ?? (await signalFake())
  if (!given.fake) undo.push(() => fake.close())
  const kernel = await testKernel({
    plugins: ['platform-signal'],
    config: { platforms: { signal: { ...fake.config, ...config } } },
    env: env ?? fake.env,
    ...(clock && { clock }),
  })
  undo.push(() => kernel.stop())
  const platform = kernel.all(Platforms).get('signal')
  if (!platform) throw new Error(`the platform is missing: ${JSON.stringify(kernel.problems())}`)
  undo.push(() => platform.close())
  return { fake, kernel, platform, ear: new Ear() }
}

/** The same, connected. */
export async function connected(options: StageOptions = {}): Promise<Stage> {
  const set = await stage(options)
  await set.platform.connect(set.ear)
  return set
}
