/** The platform with a stand-in for Twilio, connected to an ear that tests look into. */
import { Http, type Inbound, type Platform, type PlatformLink, Platforms } from 'svc/sdk'
import { type PlatformFake, type TestKernel, testKernel } from 'svc/sdk/testing'
import { smsFake } from '../../../sdk/testing/platforms/sms.ts'

/** What the gateway would have heard. */
export interface Ear extends PlatformLink {
  readonly received: Inbound[]
  readonly losses: {
    readonly reason: string
    readonly final?: boolean | undefined
    readonly code?: string | undefined
  }[]
  /** Rejects what comes while it is set. */
  isFull: boolean
}

export interface Office {
  readonly fake: PlatformFake
  readonly kernel: TestKernel
  readonly platform: Platform
  readonly ear: Ear
  /** Connects and tells Twilio where. */
  open(): Promise<string>
  close(): Promise<void>
}

export function newEar(): Ear {
  const received: Inbound[] = []
  const losses: Ear['losses'] = []
  return {
    received,
    losses,
    isFull: false,
    async receive(message) {
      if (this.isFull) throw new Error('the inbox is full')
      received.push(message)
    },
    alive: () => {},
    lost: (reason, options) => void losses.push({ reason, ...options }),
    signal: new AbortController().signal,
  }
}

export async function office(
  change: { readonly config?: object; readonly env?: Readonly<Record<string, string | undefined>> } = {},
): Promise<Office> {
  const fake = await smsFake()
  const kernel = await testKernel({
    plugins: ['platform-sms'],
    config: { platforms: { sms: { ...fake.config, ...change.config } } },
    env: { ...fake.env, ...change.env },
  })
  const platform = kernel.all(Platforms).get('sms')
  if (!platform) throw new Error('There is no platform for text messages.')
  const ear = newEar()
  return {
    fake,
    kernel,
    platform,
    ear,
    async open() {
      await platform.connect(ear)
      return listening(kernel, fake)
    },
    async close() {
      await kernel.stop()
      await fake.close()
    },
  }
}

/** Where it listens now; Twilio is told. */
export function listening(kernel: TestKernel, fake: PlatformFake): string {
  const url = kernel.use(Http).apps()[0]?.url ?? ''
  fake.callback?.(url)
  return url
}
