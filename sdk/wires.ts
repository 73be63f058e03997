/** The wires of the built-in providers, for a provider whose service speaks one of them. */

import { defineService, type Service } from './declarations.ts'
import type { ErrorRule } from './model-error-rules.ts'
import type { ModelKey } from './model-key.ts'
import type { ModelEvent, ModelRequest } from './providers.ts'

/** A service that speaks the wire, and where it differs from the reference. @since 0.2 */
export interface WireEndpoint {
  /** The name of the provider. What an answer carried, such as signed reasoning, is sent back to this provider only. */
  readonly name: string
  /** For sentences about failures: "Acme". */
  readonly label: string
  /** As clients of the service have it: `https://api.acme.example/v1`. A key is sent by HTTPS or to this machine only. */
  readonly baseUrl: string
  /** A text, or what `acquireApiKey` resolved with, so that the pool of keys is told of the outcome. */
  readonly key?: string | ModelKey
  /** Headers to add or replace, for each request. */
  headers?(request: ModelRequest): Readonly<Record<string, string>>
  /** Returns the fields of the body as they are sent. */
  body?(fields: Readonly<Record<string, unknown>>, request: ModelRequest): Readonly<Record<string, unknown>>
  /** What errors of the service mean, looked at before the rules of the wire. */
  readonly errors?: readonly ErrorRule[]
}

/** Makes one call over a wire. A failure is the last event; nothing is thrown. @since 0.2 */
export type WireCall = (endpoint: WireEndpoint, request: ModelRequest) => AsyncIterable<readonly ModelEvent[]>

/** Provided by the built-in provider of OpenAI. @since 0.2 */
export interface OpenAiWires {
  /** `POST /chat/completions` (https://platform.openai.com/docs/api-reference/chat). */
  readonly openaiChat: WireCall
  /** `POST /responses` (https://platform.openai.com/docs/api-reference/responses). */
  readonly openaiResponses: WireCall
}
export const OpenAiWires: Service<OpenAiWires> = defineService('openai-wires')

/** Provided by the built-in provider of Anthropic. @since 0.2 */
export interface AnthropicWires {
  /** `POST /v1/messages` (https://docs.anthropic.com/en/api/messages). */
  readonly anthropicMessages: WireCall
}
export const AnthropicWires: Service<AnthropicWires> = defineService('anthropic-wires')
