/** A platform out of a real kernel, the stand-in for its service, and an ear in the place of the gateway. */
import type { EmbeddedPlugin } from 'svc'
import { type Clock, errorCode, Http, type Inbound, type Platform, type PlatformLink, Platforms } from 'svc/sdk'
import { type PlatformFake, type PlatformSetup, type TestKernel, testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'

/** Why a connection was lost, as the gateway is told. */
export interface Loss {
  readonly reason: string
  readonly final?: boolean
  readonly code?: string
}

/** What the gateway would have been told. */
export class Ear implements PlatformLink {
  readonly received: Inbound[] = []
  readonly losses: Loss[] = []
  /** So many messages are not taken before the next one is. */
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

  lost(reason: string, options: Omit<Loss, 'reason'> = {}): void {
    this.losses.push({ reason, ...options })
  }
}

/** What is there during a test. It is taken down with the test, or before. */
export interface Stage<Fake extends PlatformFake = PlatformFake> {
  readonly fake: Fake
  readonly kernel: TestKernel
  readonly platform: Platform
  readonly ear: Ear
  /** Where the platform listens now; the service is told. */
  listen(): string
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** How a stage differs. */
export interface Setting<Fake extends PlatformFake = PlatformFake> {
  /** One that is not closed with the stage. */
  readonly fake?: Fake
  readonly config?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
  readonly clock?: Clock
  /** Plugins besides, by their names and as they are. */
  readonly plugins?: readonly string[]
  readonly with?: readonly EmbeddedPlugin[]
}

/** Stages for one platform, whose plugin is called after it. */
export interface Stages<Fake extends PlatformFake> {
  /** Not connected yet. */
  stage(setting?: Setting<Fake>): Promise<Stage<Fake>>
  connected(setting?: Setting<Fake>): Promise<Stage<Fake>>
  /** For the contract of platforms; in a group with this name, else in a direct message. */
  contract(setting?: Setting<Fake>, group?: string): Promise<PlatformSetup>
}

export function stagesOf<Fake extends PlatformFake>(name: string, open: () => Promise<Fake>): Stages<Fake> {
  const stage = (setting: Setting<Fake> = {}) => openStage(name, open, setting)
  return {
    stage,
    async connected(setting) {
      const made = await stage(setting)
      await made.platform.connect(made.ear)
      return made
    },
    async contract(setting, group) {
      const { fake, platform, listen, close } = await stage(setting)
      return { platform, close, join: () => peerOf(fake, listen, group) }
    },
  }
}

async function openStage<Fake extends PlatformFake>(
  name: string,
  open: () => Promise<Fake>,
  { env, config, plugins = [], fake: given, ...rest }: Setting<Fake>,
): Promise<Stage<Fake>> {
  const fake = given ?? (await open())
  const kernel = await testKernel({
    plugins: [`platform-${name}`, ...plugins],
    env: { ...fake.env, ...env },
    config: { platforms: { [name]: { ...fake.config, ...config } } },
    ...rest,
  })
  const platform = kernel.all(Platforms).get(name)
  if (!platform) throw new Error(`there is no platform ${name}: ${JSON.stringify(kernel.problems())}`)
  const ear = new Ear()
  let closing: Promise<void> | undefined
  const takeDown = async () => {
    ear.abort()
    await platform.close()
    await kernel.stop()
    if (!given) await fake.close()
  }
  const close = () => {
    closing ??= takeDown()
    return closing
  }
  onTestFinished(close)
  const listen = () => {
    const url = kernel.find(Http)?.apps()[0]?.url ?? ''
    if (url) fake.callback?.(url)
    return url
  }
  return { fake, kernel, platform, ear, listen, close, [Symbol.asyncDispose]: close }
}

function peerOf(
  fake: PlatformFake,
  listen: () => string,
  group: string | undefined,
): ReturnType<PlatformSetup['join']> {
  if (fake.callback) listen()
  const { chatId, say } = fake.member(group === undefined ? {} : { group })
  const heard = () => fake.deliveries().flatMap((each) => (each.chatId === chatId ? each.visible : []))
  return { chatId, heard, say: async (text) => void (await say(text)) }
}

/** The code of what `work` was refused with. */
export async function codeOf(work: Promise<unknown> | undefined): Promise<string> {
  return Promise.resolve(work).then(
    () => 'nothing was refused',
    (error) => errorCode(error),
  )
}
