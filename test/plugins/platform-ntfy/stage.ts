/** A platform of a plugin, the stand-in for its service, and an ear in the place of the gateway. */
import type { EmbeddedPlugin } from 'svc'
import { type Clock, errorCode, type Inbound, type Platform, type PlatformLink, Platforms } from 'svc/sdk'
import {
  type FakeMember,
  type PlatformFake,
  type PlatformSetup,
  platformFake,
  type TestKernel,
  testKernel,
} from 'svc/sdk/testing'

/** What the gateway would have been told. `refuse` messages are not taken before the next one is. */
export class Ear implements PlatformLink {
  readonly received: Inbound[] = []
  readonly lossReasons: string[] = []
  readonly losses: Parameters<PlatformLink['lost']>[1][] = []
  refuse = 0
  lives = 0
  readonly #abort = new AbortController()
  readonly signal: AbortSignal = this.#abort.signal

  get texts(): readonly string[] {
    return this.received.map(({ text }) => text)
  }

  abort(): void {
    this.#abort.abort()
  }

  async receive(message: Inbound): Promise<void> {
    if (this.refuse-- > 0) throw new Error('the inbox is full')
    this.received.push(message)
  }

  alive(): void {
    this.lives++
  }

  lost(reason: string, options?: Parameters<PlatformLink['lost']>[1]): void {
    this.lossReasons.push(reason)
    this.losses.push(options)
  }
}

/** What is there during a test. */
export interface Stage {
  readonly fake: PlatformFake
  readonly kernel: TestKernel
  readonly platform: Platform
  readonly link: Ear
  member(): FakeMember
  [Symbol.asyncDispose](): Promise<void>
}

/** How a stage differs. */
export interface Setting {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly config?: Readonly<Record<string, unknown>>
  readonly home?: string
  readonly fake?: PlatformFake
  readonly clock?: Clock
  /** Plugins besides. */
  readonly with?: readonly EmbeddedPlugin[]
}

/** Not connected yet. A fake that was given is not closed. */
export async function stage(plugin: string, name: string, setting: Setting = {}): Promise<Stage> {
  const fake = setting.fake ?? (await platformFake(name))
  const kernel = await testKernel({
    plugins: [plugin],
    env: { ...fake.env, ...setting.env },
    config: { platforms: { [name]: { ...fake.config, ...setting.config } } },
    ...(setting.home !== undefined && { home: setting.home }),
    ...(setting.clock && { clock: setting.clock }),
    ...(setting.with && { with: setting.with }),
  })
  const platform = kernel.all(Platforms).get(name)
  if (!platform) throw new Error(`${plugin} contributes no ${name}: ${JSON.stringify(kernel.problems())}`)
  const link = new Ear()
  const dispose = async () => {
    link.abort()
    await platform.close()
    await kernel.stop()
    if (!setting.fake) await fake.close()
  }
  return { fake, kernel, platform, link, member: () => fake.member(), [Symbol.asyncDispose]: dispose }
}

/** The same, connected. */
export async function connected(plugin: string, name: string, setting: Setting = {}): Promise<Stage> {
  const made = await stage(plugin, name, setting)
  await made.platform.connect(made.link)
  return made
}

/** For the contract of platforms. */
export async function contractSetup(plugin: string, name: string, setting: Setting = {}): Promise<PlatformSetup> {
  const made = await stage(plugin, name, setting)
  return {
    platform: made.platform,
    join: () => {
      const { chatId, say } = made.member()
      const heard = () =>
        made.fake
          .deliveries()
          .filter((each) => each.chatId === chatId)
          .map(({ visible }) => visible)
      return { chatId, heard, say: async (text) => void (await say(text)) }
    },
    close: () => made[Symbol.asyncDispose](),
  }
}

/** The code of what `work` was refused with. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing was refused',
    (error) => errorCode(error),
  )
}
