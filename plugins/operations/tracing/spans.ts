/**
 * Spans of turns and of what happens in them, named as in the semantic conventions for generative AI
 * (opentelemetry.io/docs/specs/semconv/gen-ai). No attribute holds what people, models or tools say.
 */

import { type Attributes, type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { TurnContext, TurnEndReason, Usage } from 'svc/sdk'
import type { FinishedModelCall } from 'svc/sdk/hooks'
import { setBounded } from 'svc/sdk/kit/state'
import type { Delivery } from 'svc/sdk/platform'
import { below, type TracerSource } from './otlp.ts'

/** Turns whose end was never told would stay for good. */
const MAX_OPEN = 10_000

interface Ended {
  readonly name: string
  readonly kind: SpanKind
  readonly turnId?: string | undefined
  readonly durationMs: number
  readonly attributes: Attributes
  /** A word for what went wrong; undefined where nothing did. */
  readonly failure?: string | undefined
}

export class Spans {
  readonly #tracer: TracerSource['tracer']
  readonly #now: () => number
  readonly #turns: Map<string, Span> = new Map()

  /** `now` in milliseconds since 1970. */
  constructor(tracer: TracerSource['tracer'], now: () => number) {
    this.#tracer = tracer
    this.#now = now
  }

  beginTurn({ turnId, parentTurnId, sessionId, surface, model }: TurnContext): void {
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'svc',
      'gen_ai.conversation.id': sessionId,
      'gen_ai.provider.name': model.provider,
      'gen_ai.request.model': model.model,
      'svc.turn.id': turnId,
      'svc.surface': surface,
    }
    const parent = parentTurnId === undefined ? undefined : this.#turns.get(parentTurnId)
    const setting = { kind: SpanKind.INTERNAL, startTime: this.#now(), attributes }
    const span = this.#tracer.startSpan('invoke_agent svc', setting, below(parent))
    setBounded(this.#turns, turnId, span, MAX_OPEN)
  }

  endTurn(turnId: string, reason: TurnEndReason, usage: Usage, code: string | undefined): void {
    const span = this.#turns.get(turnId)
    this.#turns.delete(turnId)
    if (!span) return
    span.setAttributes({ 'svc.turn.end_reason': reason, ...tokens(usage) })
    fail(span, code ?? (reason === 'failed' || reason === 'crashed' ? reason : undefined))
    span.end(this.#now())
  }

  modelCall({ turnId, provider, model, purpose, usage, durationMs, failure }: FinishedModelCall): void {
    this.#add({
      ...{ name: `chat ${model}`, kind: SpanKind.CLIENT, turnId, durationMs, failure: failure?.kind },
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
        'svc.purpose': purpose,
        ...tokens(usage),
      },
    })
  }

  toolCall(tool: string, turnId: string, durationMs: number, isFailed: boolean): void {
    this.#add({
      ...{ name: `execute_tool ${tool}`, kind: SpanKind.INTERNAL, turnId, durationMs },
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool },
      failure: isFailed ? 'tool' : undefined,
    })
  }

  delivery({ platform, state, attempts, trace, at }: Delivery): void {
    this.#add({
      ...{ name: `deliver ${platform}`, kind: SpanKind.PRODUCER, durationMs: Math.max(0, this.#now() - at) },
      attributes: {
        'svc.platform': platform,
        'svc.delivery.state': state,
        'svc.delivery.attempts': attempts,
        ...(trace !== undefined && { 'svc.trace.id': trace }),
      },
      failure: state === 'delivered' ? undefined : state,
    })
  }

  #add({ name, kind, turnId, durationMs, attributes, failure }: Ended): void {
    const end = this.#now()
    const parent = turnId === undefined ? undefined : this.#turns.get(turnId)
    const span = this.#tracer.startSpan(name, { kind, startTime: end - durationMs, attributes }, below(parent))
    fail(span, failure)
    span.end(end)
  }
}

function fail(span: Span, failure: string | undefined): void {
  if (failure === undefined) return
  span.setAttribute('error.type', failure)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function tokens({ input, output, costUsd }: Usage): Attributes {
  return {
    ...(input !== undefined && { 'gen_ai.usage.input_tokens': input }),
    ...(output !== undefined && { 'gen_ai.usage.output_tokens': output }),
    ...(costUsd !== undefined && { 'svc.cost_usd': costUsd }),
  }
}
