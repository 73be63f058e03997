/**
 * How many tokens a text takes, estimated (only the model's service can count them), and how many it may
 * take. Pure.
 */
import type { ImageContent, Message } from 'svc/sdk'
import type { ModelInfo } from 'svc/sdk/provider'
import type { Config } from './config.ts'

const CHARACTERS_A_TOKEN = 4
const TOKENS_AN_IMAGE = 1600
/** What a service adds around each message. */
const TOKENS_A_MESSAGE = 4
/** Characters of scripts in which most characters are a separate token. */
const wide = /[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]/g

const known = new WeakMap<Message, number>()

/** Of a text. */
export function textTokens(text: string): number {
  const wideCount = text.match(wide)?.length ?? 0
  return Math.ceil((text.length - wideCount) / CHARACTERS_A_TOKEN + wideCount)
}

/** Of one message, with its calls, pictures and what its provider wants back. Each object is measured once. */
export function messageTokens(message: Message): number {
  const before = known.get(message)
  if (before !== undefined) return before
  const images: readonly ImageContent[] = 'images' in message ? (message.images ?? []) : []
  const tokens = TOKENS_A_MESSAGE + textTokens(message.text) + images.length * TOKENS_AN_IMAGE + extraTokens(message)
  known.set(message, tokens)
  return tokens
}

/** Of a conversation. */
export function totalTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0)
}

function extraTokens(message: Message): number {
  if (message.role !== 'assistant') return 0
  const { toolCalls = [], carry } = message
  const calls = toolCalls.length > 0 ? textTokens(formatJson(toolCalls)) : 0
  return calls + (carry === undefined ? 0 : textTokens(formatJson(carry.data)))
}

function formatJson(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

/** For an unknown model: most models in use read at least this much. */
export const UNKNOWN_WINDOW = 128_000
const UNKNOWN_OUTPUT = 8192
/** Models with smaller windows have none to spare: they are filled further. */
const LARGE_WINDOW = 512_000
const SMALL_WINDOW_SHARE = 0.75
/** Below this a summary costs more than it saves. */
const LEAST_THRESHOLD = 64_000
/** Of the usable window, where that least is out of reach. */
const MAX_SHARE = 0.85
/** Of what was refused as too long: what is taken for the most that the model reads. */
const REFUSED_SHARE = 0.7
const SUMMARY_SHARE = 0.2
const SUMMARY_OF_TARGET = 0.4
const LEAST_SUMMARY = 400
const USUAL_SUMMARY = 2000
const MAX_SUMMARY = 10_000

/** In tokens. */
export interface Limits {
  /** The model's window is known. */
  readonly isKnown: boolean
  /** What the whole request may have at all. */
  readonly most: number
  /** What it may have before it is compressed. */
  readonly threshold: number
  /** What the newest messages, which stay, may have. */
  readonly tail: number
}

/** The limits for a model, as its service counts. */
export function computeLimits(
  { contextWindow, maxOutputTokens }: Pick<ModelInfo, 'contextWindow' | 'maxOutputTokens'>,
  { threshold, target_ratio: ratio }: Pick<Config, 'threshold' | 'target_ratio'>,
): Limits {
  const window = contextWindow ?? UNKNOWN_WINDOW
  const usable = Math.floor(window - Math.min(maxOutputTokens ?? UNKNOWN_OUTPUT, window / 2))
  const share = window < LARGE_WINDOW ? Math.max(threshold, SMALL_WINDOW_SHARE) : threshold
  const wanted = Math.max(LEAST_THRESHOLD, share * usable)
  const start = Math.floor(wanted < usable ? wanted : usable * MAX_SHARE)
  return {
    isKnown: contextWindow !== undefined,
    most: usable,
    threshold: start,
    tail: Math.floor(start * ratio),
  }
}

/** The limits for estimates, where so many estimated tokens are one that was counted. `refused` was too much already. */
export function limitsOfEstimates(limits: Limits, ratio: number, refused: number = Number.POSITIVE_INFINITY): Limits {
  const ceiling = refused * REFUSED_SHARE
  const threshold = Math.floor(Math.min(limits.threshold * ratio, ceiling))
  return {
    ...limits,
    most: Math.floor(Math.min(limits.most * ratio, ceiling)),
    threshold,
    tail: Math.floor((limits.tail * threshold) / limits.threshold),
  }
}

/** What a summary of so much may have, where the whole is to have `target`. */
export function summaryTokens(replaced: number, target: number): number {
  const wanted = Math.min(Math.max(replaced * SUMMARY_SHARE, USUAL_SUMMARY), MAX_SUMMARY)
  return Math.floor(Math.max(LEAST_SUMMARY, Math.min(wanted, target * SUMMARY_OF_TARGET)))
}
