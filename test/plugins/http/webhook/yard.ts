/** Webhooks with a sender, a code host and an ear that tests look into, on a clock that stands still. */
import { Outbox, type OutboxMessage, type Platform, Platforms } from 'svc/sdk/platform'
import { type TestKernel, testKernel, type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { Ear } from '../../../support/platform-stage.ts'
import { type SentEvent, type WebhookSender, webhookSender } from './sender.ts'

export const SECRET = 'a secret between two machines'

export interface Yard {
  readonly sender: WebhookSender
  readonly kernel: TestKernel
  readonly platform: Platform
  readonly clock: VirtualClock
  readonly ear: Ear
  readonly posted: OutboxMessage[]
  /** Connects; where it listens. */
  open(): Promise<string>
  url(route: string): string
  /** Signs and posts an event, by the clock of both sides. */
  send(route: string, event?: Partial<SentEvent>): Promise<{ readonly status: number; readonly body: unknown }>
  close(): Promise<void>
}

interface Change {
  readonly routes?: Readonly<Record<string, object>>
  readonly config?: object
  readonly http?: object
  readonly env?: Readonly<Record<string, string>>
  readonly home?: string
  readonly sender?: WebhookSender
  readonly clock?: VirtualClock
}

/** One route `hook` of the style `generic`, unless told otherwise. */
export async function yard(change: Change = {}): Promise<Yard> {
  const sender = change.sender ?? (await webhookSender())
  const clock = change.clock ?? virtualClock()
  const routes = change.routes ?? { hook: { secret: SECRET } }
  const posted: OutboxMessage[] = []
  const outbox = {
    send(message: OutboxMessage) {
      if (message.target.startsWith('nowhere')) throw new Error(`Nobody knows ${message.target}.`)
      if (!posted.some(({ key }) => key === message.key)) posted.push(message)
      return { id: `letter-${posted.length}` }
    },
  } as unknown as Outbox
  const kernel = await testKernel({
    plugins: ['webhook'],
    with: [{ name: 'letters', provides: ['outbox'], setup: (ctx) => void ctx.provide(Outbox, () => outbox) }],
    config: {
      http: change.http ?? {},
      platforms: { webhook: { port: 0, github_api_url: sender.apiUrl, routes, ...change.config } },
    },
    env: { GITHUB_TOKEN: sender.token, ...change.env },
    clock,
    ...(change.home !== undefined && { home: change.home }),
  })
  const platform = kernel.all(Platforms).get('webhook')
  if (!platform) throw new Error('There is no platform for webhooks.')
  const ear = new Ear()
  const url = (route: string) => `${kernel.use(Http).apps()[0]?.url}/webhooks/${route}`
  return {
    sender,
    kernel,
    platform,
    clock,
    ear,
    posted,
    url,
    async open() {
      await platform.connect(ear)
      return url('').replace(/\/webhooks\/$/, '')
    },
    async send(route, event = {}) {
      const whole = { style: 'generic', secret: SECRET, payload: { text: 'hello' }, at: clock.now(), ...event } as const
      return sender.post(url(route), sender.sign(whole))
    },
    async close() {
      await kernel.stop()
      if (!change.sender) await sender.close()
    },
  }
}

/** Those that a test file has opened, closed after each test. */
export function yards(after: (close: () => Promise<void>) => void): (change?: Change) => Promise<Yard> {
  const open: Yard[] = []
  after(async () => {
    for (const each of open.splice(0)) await each.close()
  })
  return async (change) => {
    const made = await yard(change)
    open.push(made)
    return made
  }
}
