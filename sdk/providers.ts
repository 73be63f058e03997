/** Model providers: they turn a conversation into a stream of events. */

import { checkMembers, type ExtensionPoint, extensionPoint, type Ordered } from './declarations.ts'
import type { ImageContent, Message, ProviderMetadata, ToolCall, Usage } from './messages.ts'

/** A tool as a model sees it. `parameters` is JSON Schema. @since 0.1 */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: Record<string, unknown>
}

/** How hard a model thinks before it answers. A provider takes the nearest that the model knows. @since 0.1 */
export type ReasoningLevel = 'none' | 'low' | 'medium' | 'high' | 'xhigh'

/**
 * How a service runs a call, for a price of its own: `priority` is faster and dearer, `flex` slower and cheaper. It is not a part of the
 * prompt.
 * @since 0.2
 */
export type ServiceTier = 'priority' | 'flex' | 'default'

/** The form that an answer must have: JSON, which a program reads. @since 0.1 */
export interface AnswerFormat {
  /** What the value is called: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string
  readonly description?: string
  /** JSON Schema of the value; left out: any JSON object. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** A service that has such a mode must keep to the schema exactly, and refuse a schema for which it cannot. */
  readonly strict?: boolean
}

/** How a model can be constrained to an `AnswerFormat`. @since 0.1 */
export interface AnswerFormatSupport {
  /** `schema`: the answer matches the schema; `json`: it is a JSON object, and the prompt describes its schema. */
  readonly holds: 'schema' | 'json'
  /** Also in a call that offers tools. */
  readonly besideTools?: true
}

/** One call of a model. @since 0.1 */
export interface ModelRequest {
  readonly model: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  readonly signal: AbortSignal
  readonly maxOutputTokens?: number
  /** Left out: the default of the model. */
  readonly reasoning?: ReasoningLevel
  readonly temperature?: number
  /** The text of the answer must have this form; calls of tools are not affected. Set only where `formats` allows it. */
  readonly format?: AnswerFormat
  /** Set only where `tiers` has it. Left out: what the account has. @since 0.2 */
  readonly serviceTier?: ServiceTier
  /** The working folder of the turn. */
  readonly cwd?: string
  /** The same for all calls of one conversation: for services that find their cache by it. */
  readonly conversation?: string
  /**
   * HTTP headers of this request, set by listeners of `BeforeModelCall`. The wires send them beside their own: a header that the
   * wire sets, such as `authorization` and `content-type`, keeps its value. Providers that speak no HTTP ignore them.
   */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * What a model does, in order. Failure is an event, not an exception: `failed` ends the stream.
 * `end` comes last otherwise; `length` means that the output limit cut the answer, `filtered` that the service withheld it
 * back, from the beginning or in the middle.
 * @since 0.1
 */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  | { readonly type: 'image'; readonly image: ImageContent }
  /** `tier`: the one that the service says it used; left out: the one that was asked for. */
  | { readonly type: 'usage'; readonly usage: Usage; readonly tier?: ServiceTier }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | {
      readonly type: 'end'
      readonly reason: 'stop' | 'tool-calls' | 'length' | 'filtered'
      readonly carry?: ProviderMetadata
    }

/** Why a model call failed, classified so that the agent knows what to do. @since 0.1 */
export interface ModelFailure {
  readonly kind:
    | 'auth'
    | 'billing'
    | 'rate-limit'
    | 'overloaded'
    | 'server'
    | 'timeout'
    | 'unreachable'
    | 'cut'
    | 'context-overflow'
    /** The body has too many bytes; its tokens might fit. */
    | 'payload-too-large'
    /** A picture is too large, cannot be read, or the model sees none. */
    | 'picture-refused'
    | 'model-not-found'
    | 'invalid'
    | 'garbled'
    | 'filtered'
    | 'aborted'
    | 'unknown'
  /** A sentence for people with what to do. */
  readonly message: string
  readonly retryable: boolean
  readonly status?: number
  /** From `Retry-After`. */
  readonly retryAfterMs?: number
  /** The service's own word for it: `token_revoked`. */
  readonly code?: string
}

/** A model that can be chosen. Unknown numbers stay undefined. @since 0.1 */
export interface ModelInfo {
  readonly id: string
  readonly label?: string
  /** Tokens the model can read. */
  readonly contextWindow?: number
  readonly maxOutputTokens?: number
  readonly price?: ModelPrice
  /** What it can do; left out: not known. */
  readonly images?: boolean
  readonly tools?: boolean
  readonly reasoning?: boolean
}

/**
 * US dollars for a million tokens. Without `cachedInput` or `cacheWriteInput` such tokens cost as `input` does.
 * @since 0.1
 */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number
  readonly cacheWriteInput?: number
  /** Where it is from: the address of a page, a list of the server, or the key in `config.yaml`. */
  readonly source?: string
  /** When it was last known to hold there: `2026-10`, or a day, `2026-10-24`. */
  readonly asOf?: string
  /** The prices of other tiers, as far as they are known. @since 0.2 */
  readonly tiers?: { readonly [Tier in Exclude<ServiceTier, 'default'>]?: Omit<ModelPrice, 'tiers'> }
}

/** How a provider knows who pays. @since 0.2 */
export interface AuthMethod {
  /** `api-key`: must have one; `optional-key`: may have one; `none`: never asks; the others are `SignInFlows`. */
  readonly type: 'api-key' | 'optional-key' | 'none' | 'oauth' | 'device-code' | 'external-command' | 'cloud-identity'
  /** Variables that may hold the key, the first one found wins. */
  readonly keyNames?: readonly string[]
  /** Where a person gets one. */
  readonly page?: string
}

/** Contributed to `Providers`. @since 0.1 */
export interface ModelProvider extends Ordered {
  /** The id in `model.provider`. */
  readonly name: string
  readonly label: string
  /** Other words for it that `model.provider` may hold. */
  readonly aliases?: readonly string[]
  /** How one signs in: `svc auth` offers it. */
  readonly auth?: AuthMethod
  /** A cheap model of it, for side work that names this provider and no model. @since 0.2 */
  readonly sideModel?: string
  /**
   * Whether it can be used now, and a sentence with the reason. Quick; may probe loopback ports. The signal aborts when the answer
   * is not waited for any more.
   */
  status(signal?: AbortSignal): Promise<{ readonly ready: boolean; readonly detail: string; readonly local?: boolean }>
  /** The models it serves; empty when it cannot tell. */
  models(signal?: AbortSignal): Promise<readonly ModelInfo[]>
  /** How answers of this model can be constrained to a format; left out or undefined: not at all. Does no I/O. */
  formats?(model: string): AnswerFormatSupport | undefined
  /** The tiers that can be asked for with this model; left out or empty: none. Does no I/O. @since 0.2 */
  tiers?(model: string): readonly ServiceTier[]
  /** Yields events, one by one or in batches as they came off the wire. Never throws. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent | readonly ModelEvent[]>
}
/** @since 0.1 */
export const Providers: ExtensionPoint<
  ModelProvider,
  /** `label` is otherwise the name, and what has no `status` is always ready. */
  Omit<ModelProvider, 'label' | 'status'> & Partial<Pick<ModelProvider, 'label' | 'status'>>
> = extensionPoint(
  'providers',
  (provider: ModelProvider) => provider.name,
  (provider) => provider.aliases ?? [],
  {
    problem: checkMembers({
      name: 'string',
      label: 'string?',
      status: 'function?',
      models: 'function',
      stream: 'function',
    }),
    defaults: ({ name }: { readonly name: string }) => ({
      label: name,
      status: async () => ({ ready: true, detail: 'It needs no account.' }),
    }),
  },
)
