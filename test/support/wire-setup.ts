/** A provider before one of the scripted services, as `wireContract` wants it. */
import type { ModelProvider } from 'svc/sdk/provider'
import type { WireSetup } from 'svc/sdk/testing'
import type { FullReply } from './model-replies.ts'
import type { FullServiceReply, SseService } from './sse-service.ts'

type Conduct = Parameters<WireSetup['behave']>[0]
type Reply = FullServiceReply & FullReply

/** What the service is like. */
export interface ServiceKind {
  /** Counts in its own words: 113 tokens were read, 100 of them from its cache. */
  readonly usage: Readonly<Record<string, unknown>>
  readonly model?: string
  readonly carried?: string
  /** What it says besides its text. */
  readonly answer?: Partial<FullReply> & Pick<FullServiceReply, 'redacted'>
}

/** The setup of a service that `start` starts with the function that says what it replies. */
export async function wireSetup(
  { usage, answer, ...more }: ServiceKind,
  start: (
    reply: () => Reply,
  ) => Promise<Pick<SseService, 'stalled' | 'idle'> & { readonly requests: readonly Asked[] }>,
  connect: (service: never) => Promise<ModelProvider>,
): Promise<WireSetup> {
  let conduct: Conduct = 'answers'
  const text = Array.from({ length: 40 }, (_, at) => `word${at} `)
  const whole = { text, usage, ...answer } as Reply
  const service = await start(() => ({ ...whole, ...getFault(conduct) }))
  return {
    provider: await connect(service as never),
    read: 113,
    ...more,
    behave(next) {
      conduct = next
    },
    requests: () => service.requests.map(({ body }) => JSON.stringify(body)),
    stalled: service.stalled,
    idle: () => service.idle(),
  }
}

interface Asked {
  readonly body: object
}

function getFault(conduct: Conduct): Pick<Reply, 'fault'> {
  switch (conduct) {
    case 'answers':
      return {}
    case 'cuts':
      return { fault: 'cut' }
    case 'stalls':
      return { fault: 'stall' }
    case 'garbage':
    case 'html':
      return { fault: conduct }
    default:
      return { fault: { status: 429, headers: { 'retry-after': conduct.limits } } }
  }
}
