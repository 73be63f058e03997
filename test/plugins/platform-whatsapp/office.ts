/** The platform with a stand-in for Meta, connected to an ear that tests look into. */
import { Http, type Inbound, type Platform, type PlatformLink, Platforms } from 'svc/sdk'
import { type PlatformFake, type TestKernel, testKernel } from 'svc/sdk/testing'
import { whatsappFake } from '../../../sdk/testing/platforms/whatsapp.ts'

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
  /** Connects and tells Meta where. */
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
  const fake = await whatsappFake()
  const kernel = await testKernel({
    plugins: ['platform-whatsapp'],
    config: { platforms: { whatsapp: { ...fake.config, ...change.config } } },
    env: { ...fake.env, ...change.env },
  })
  const platform = kernel.all(Platforms).get('whatsapp')
  if (!platform) throw new Error('There is no platform for WhatsApp.')
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

/** Where it listens now; Meta is told. */
export function listening(kernel: TestKernel, fake: PlatformFake): string {
  const url = kernel.use(Http).apps()[0]?.url ?? ''
  fake.callback?.(url)
  return url
}
