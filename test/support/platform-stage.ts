/** A platform out of a real kernel, the stand-in for its service, and an ear in the place of the gateway. */
import type { InlinePlugin } from 'svc'
import { type Clock, errorCode } from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import type { StandInService } from 'svc/sdk/platform'
import {
  type GatewayConnection,
  type InboundMessage,
  type InboundResult,
  type Platform,
  Platforms,
  type ReadCursor,
} from 'svc/sdk/platform'
import { type PlatformSetup, type TestKernel, testKernel } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { onTestFinished } from 'vitest'

/** Why a connection was lost, as the gateway is told. */
export interface Loss {
  readonly reason: string
  readonly final?: boolean
  readonly code?: string
}

/** What the gateway would have been told. */
export class Ear implements GatewayConnection {
  readonly received: InboundMessage[] = []
  readonly losses: Loss[] = []
  /** So many messages are not taken before the next one is. */
  refuse = 0
  /** It takes so many, and no more. */
  most = Number.POSITIVE_INFINITY
  lives = 0
  /** What the platform is told of each message. */
  reception: InboundResult = { outcome: 'taken' }
  /** How often a message was not taken. */
  refused = 0
  readonly #cursors: Map<string, string>
  readonly #abort = new AbortController()
  readonly signal: AbortSignal = this.#abort.signal

  constructor(cursors: Map<string, string> = new Map()) {
    this.#cursors = cursors
  }

  get texts(): readonly string[] {
    return this.received.map(({ text }) => text)
  }

  abort(): void {
    this.#abort.abort()
  }

  async receive(message: InboundMessage): Promise<InboundResult> {
    if (this.refuse-- > 0 || this.received.length >= this.most) {
      this.refused++
      throw new Error('the inbox is full')
    }
    this.received.push(message)
    return this.reception
  }

  alive(): void {
    this.lives++
  }

  lost(reason: string, options: Omit<Loss, 'reason'> = {}): void {
    this.losses.push({ reason, ...options })
  }

  cursor(account: string): ReadCursor {
    return { get: () => this.#cursors.get(account), set: (value) => void this.#cursors.set(account, value) }
  }
}

/** Where a platform is connected to, and how. */
export interface Place {
  readonly config?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
  readonly clock?: Clock
  /** How far was read, by account: the same map for what stands for the same home. */
  readonly cursors?: Map<string, string>
  /** Plugins besides, by their names and as they are. */
  readonly plugins?: readonly string[]
  readonly with?: readonly InlinePlugin[]
}

/** A platform during a test. It is taken down with the test, or before. */
export interface Booth {
  readonly kernel: TestKernel
  readonly platform: Platform
  readonly ear: Ear
  /** Shows the commands of the kernel in the menu of the service, as the gateway does. */
  showMenu(): Promise<void>
  close(): Promise<void>
}

/** The same with its service. */
export interface Stage<Fake extends StandInService = StandInService> extends Booth {
  readonly fake: Fake
  /** Where the platform listens now; the service is told. */
  listen(): string
  [Symbol.asyncDispose](): Promise<void>
}

/** One that is connected. */
export interface OpenStage<Fake extends StandInService = StandInService> extends Stage<Fake> {
  /** Where the service calls it; empty where it does not. */
  readonly url: string
}

/** How a stage differs: what is said of it stands over what the service gives. */
export interface StageOptions<Fake extends StandInService = StandInService> extends Place {
  /** One that is not closed with the stage. */
  readonly fake?: Fake
}

/** One that is connected, and can be taken up again. */
export interface PlatformHome<Fake extends StandInService> extends OpenStage<Fake> {
  readonly cursors: Map<string, string>
  restart(setting?: StageOptions<Fake>): Promise<OpenStage<Fake>>
}

/** Stages for one platform, whose plugin is called after it. */
export interface Stages<Fake extends StandInService> {
  /** Not connected yet. */
  stage(setting?: StageOptions<Fake>): Promise<Stage<Fake>>
  connected(setting?: StageOptions<Fake>): Promise<OpenStage<Fake>>
  /** One home, before and after restarts: the service and how far was read stay. */
  home(setting?: StageOptions<Fake>): Promise<PlatformHome<Fake>>
  /** For the contract of platforms; in a group with this name, else in a direct message. */
  contract(setting?: StageOptions<Fake>, group?: string): Promise<PlatformSetup>
}

export function createStages<Fake extends StandInService>(name: string, open: () => Promise<Fake>): Stages<Fake> {
  const stage = (setting: StageOptions<Fake> = {}) => openStage(name, open, setting)
  const connected = async (setting: StageOptions<Fake> = {}) => {
    const made = await stage(setting)
    await made.platform.connect(made.ear)
    return { ...made, url: made.listen() }
  }
  return {
    stage,
    connected,
    async home(setting = {}) {
      const cursors = new Map<string, string>()
      const first = await connected({ cursors, ...setting })
      const restart = (more: StageOptions<Fake> = {}) => connected({ fake: first.fake, cursors, ...setting, ...more })
      return { ...first, cursors, restart }
    },
    async contract(setting, group) {
      const { fake, platform, listen, close } = await stage(setting)
      return { platform, close, join: () => createPeer(fake, listen, group) }
    },
  }
}

async function openStage<Fake extends StandInService>(
  name: string,
  open: () => Promise<Fake>,
  { fake: given, ...place }: StageOptions<Fake>,
): Promise<Stage<Fake>> {
  const fake = given ?? (await open())
  if (!given) onTestFinished(() => fake.close())
  const env = { ...fake.env, ...place.env }
  const booth = await openBooth(name, { ...place, env, config: { ...fake.config, ...place.config } })
  const listen = () => {
    const url = booth.kernel.find(Http)?.apps()[0]?.url ?? ''
    if (url) fake.callback?.(url)
    return url
  }
  return { ...booth, fake, listen, [Symbol.asyncDispose]: booth.close }
}

/** Not connected yet; for services that are no stand-ins. */
export async function openBooth(name: string, place: Place): Promise<Booth> {
  const { config = {}, env = {}, plugins = [], cursors, ...rest } = place
  const kernel = await testKernel({
    plugins: [`platform-${name}`, ...plugins],
    config: { platforms: { [name]: config } },
    env,
    ...rest,
  })
  const platform = kernel.all(Platforms).get(name)
  if (!platform) throw new Error(`there is no platform ${name}: ${JSON.stringify(kernel.problems())}`)
  const ear = new Ear(cursors)
  let closing: Promise<void> | undefined
  const takeDown = async () => {
    ear.abort()
    await platform.close()
    await kernel.stop()
  }
  const close = () => {
    closing ??= takeDown()
    return closing
  }
  onTestFinished(close)
  const showMenu = async () => {
    const { commandMenu: menu } = platform
    await menu?.show(kernel.use(Commands).menu('gateway', menu.limits), ear.signal)
  }
  return { kernel, platform, ear, showMenu, close }
}

/** The same, connected. */
export async function connectedBooth(name: string, place: Place): Promise<Booth> {
  const booth = await openBooth(name, place)
  await booth.platform.connect(booth.ear)
  return booth
}

function createPeer(
  fake: StandInService,
  listen: () => string,
  group: string | undefined,
): ReturnType<PlatformSetup['join']> {
  if (fake.callback) listen()
  const { chatId, say, press } = fake.member(group === undefined ? {} : { group })
  const heard = () => fake.deliveries().flatMap((each) => (each.chatId === chatId ? each.visible : []))
  const files = () =>
    fake.deliveries().flatMap((each) => (each.chatId === chatId ? [each.files.map(({ bytes }) => bytes)] : []))
  return { chatId, heard, files, say: async (text) => void (await say(text)), ...(press && { choose: press }) }
}

/** The code of what `work` was refused with. */
export async function catchCode(work: Promise<unknown> | undefined): Promise<string> {
  return Promise.resolve(work).then(
    () => 'nothing was refused',
    (error) => errorCode(error),
  )
}
