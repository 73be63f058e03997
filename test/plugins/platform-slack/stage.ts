/** Slack over the stand-in for its service, and an ear in the place of the gateway. */
import { Http, type Inbound, type Platform, type PlatformLink, Platforms } from 'svc/sdk'
import { testKernel, type VirtualClock } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { type SlackFake, slackFake } from '../../../sdk/testing/platforms/slack.ts'

export interface Loss {
  readonly reason: string
  readonly final?: boolean | undefined
  readonly code?: string | undefined
}

export interface Ear extends PlatformLink {
  readonly received: Inbound[]
  readonly losses: Loss[]
  /** So many messages are refused before the next is taken. */
  refuse: number
  lives: number
}

export function ear(): Ear {
  const received: Inbound[] = []
  const losses: Loss[] = []
  return {
    ...{ received, losses, refuse: 0, lives: 0 },
    signal: new AbortController().signal,
    async receive(message) {
      if (this.refuse-- > 0) throw new Error('the inbox is full')
      received.push(message)
    },
    alive() {
      this.lives++
    },
    lost(reason, options) {
      losses.push({ reason, ...options })
    },
  }
}

export interface Stage {
  readonly fake: SlackFake
  readonly platform: Platform
  /** Once it listens: where it is called over HTTP. */
  listen(): string
  close(): Promise<void>
}

export interface StageOptions {
  readonly clock?: VirtualClock
  readonly env?: Readonly<Record<string, string>>
  readonly config?: Readonly<Record<string, unknown>>
  readonly plugins?: readonly string[]
}

export async function openStage({ clock, env, config, plugins = [] }: StageOptions = {}): Promise<Stage> {
  const fake = await slackFake()
  const kernel = await testKernel({
    plugins: ['platform-slack', ...plugins],
    config: { platforms: { slack: { ...fake.config, ...config } } },
    env: { ...fake.env, ...env },
    ...(clock && { clock }),
  })
  const platform = kernel.all(Platforms).get('slack')
  if (!platform) throw new Error(JSON.stringify(kernel.problems()))
  const close = async () => {
    await platform.close()
    await kernel.stop()
    await fake.close()
  }
  const listen = () => {
    const url = kernel.use(Http).apps()[0]?.url ?? ''
    fake.callback?.(url)
    return url
  }
  return { fake, platform, listen, close }
}

/** A stage that is connected, and is taken down with the test. */
export async function connected(options?: StageOptions): Promise<Stage & { readonly link: Ear }> {
  const stage = await openStage(options)
  onTestFinished(stage.close)
  const link = ear()
  await stage.platform.connect(link)
  return { ...stage, link }
}

/** Events over HTTP, on a free port. */
export const OVER_HTTP = { mode: 'events', http_port: 0 }
