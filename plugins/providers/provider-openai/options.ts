/**
 * What a request may go without: how hard to think, a temperature, the name of a cache. What is known to be refused is
 * not sent; what a server refuses is left out from then on.
 */
import { tryParseJson } from 'svc/sdk'
import type { ReasoningLevel } from 'svc/sdk/provider'

/** Values by their path in the body: `reasoning.effort`. */
export type Options = ReadonlyMap<string, unknown>

/** The ways in which services want to be told how hard to think. */
export type ReasoningForm = 'effort' | 'effort-in-object' | 'thinking' | 'enable-thinking' | 'template'

/** All efforts of OpenAI that a level can become, least first. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const
const DEFAULT_EFFORTS: readonly string[] = ['none', 'low', 'medium', 'high', 'xhigh']

/** What families of models take, by their names (https://platform.openai.com/docs/guides/reasoning and docs.x.ai). */
const FAMILIES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(gpt-[34]|chatgpt-|gpt-5[\d.]*-chat)/, []],
  [/^gpt-5-pro/, ['high']],
  [/^gpt-5\.\d+-pro/, ['medium', 'high', 'xhigh']],
  [/^gpt-5(\.1)?-codex(?!-max)/, ['low', 'medium', 'high']],
  [/^gpt-[\d.]+-codex/, ['low', 'medium', 'high', 'xhigh']],
  [/^gpt-5(-|$)/, ['minimal', 'low', 'medium', 'high']],
  [/^gpt-5\.1(-|$)/, ['none', 'low', 'medium', 'high']],
  [/^gpt-\d/, DEFAULT_EFFORTS],
  [/^(o\d|gpt-oss)/, ['low', 'medium', 'high']],
  [/^grok-3-mini/, ['low', 'high']],
  [/^grok-(2|3|4(-|$)|code)/, []],
]
/** Models of OpenAI that think take no temperature. */
const WITHOUT_TEMPERATURE = /^(o\d|gpt-5(?![\d.]*-chat)|gpt-[6-9])/

/** The efforts that a model takes, least first; empty when it cannot be told. `usual` holds for unknown names. */
export function listEfforts(model: string, usual: readonly string[] = DEFAULT_EFFORTS): readonly string[] {
  const name = getModelName(model)
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? usual
}

export function takesTemperature(model: string): boolean {
  return !WITHOUT_TEMPERATURE.test(getModelName(model))
}

/** The hardest effort that is not above the level, else the least there is. Only `none` turns thinking off. */
export function effortFor(level: ReasoningLevel, efforts: readonly string[]): string | undefined {
  if (level === 'none') return efforts[0]
  const thinking = efforts.filter((effort) => effort !== 'none')
  const below = thinking.filter((effort) => EFFORTS.indexOf(effort as ReasoningLevel) <= EFFORTS.indexOf(level))
  return below.at(-1) ?? thinking[0]
}

/** How a service is told how hard to think. */
export function reasoningOptions(
  form: ReasoningForm,
  level: ReasoningLevel,
  efforts: readonly string[],
): [string, unknown][] {
  const effort = effortFor(level, efforts)
  if (effort === undefined) return []
  const thinks = level !== 'none'
  switch (form) {
    case 'effort':
      return [['reasoning_effort', effort]]
    case 'effort-in-object':
      return [['reasoning.effort', effort]]
    case 'thinking':
      return [['thinking.type', thinks ? 'enabled' : 'disabled']]
    case 'enable-thinking':
      return [['enable_thinking', thinks]]
    case 'template':
      return [
        ['chat_template_kwargs.enable_thinking', thinks],
        ...(thinks ? [['chat_template_kwargs.reasoning_effort', effort] as [string, unknown]] : []),
      ]
  }
}

/** The options as they stand in a body. */
export function nestOptions(options: Options): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const [path, value] of options) {
    const [outer = path, inner] = path.split('.')
    body[outer] = inner === undefined ? value : { ...(body[outer] as object | undefined), [inner]: value }
  }
  return body
}

/** What makes no sense to leave out. */
const NEEDED: ReadonlySet<string> = new Set(['stream', 'store'])
/** More than are in use at a time; the oldest is dropped and probed again. */
const MAX_KNOWN = 500
/** Pseudo option: reasoning of earlier answers that is sent back. */
export const CARRIED = 'carried reasoning'
/** The tier (https://platform.openai.com/docs/guides/flex-processing, https://developers.openai.com/api/docs/guides/fast-mode). */
export const TIER = 'service_tier'

/** The called model, and the conversation. */
export interface Target {
  /** Address and model. */
  readonly server: string
  readonly conversation: string | undefined
}

/** What servers have refused. */
export class Refusals {
  #known: Map<string, ReadonlySet<string>> = new Map()

  /** The options without what was refused, now or before; an output limit gets the name that the server knows. */
  allowed(options: Options, target: Target, now: ReadonlySet<string> = new Set()): Options {
    if (this.#known.size + now.size === 0) return options
    const refused = new Set([...this.#of(target.server), ...this.#of(getConversationKey(target)), ...now])
    return new Map([...options].flatMap(([name, value]) => findReplacement(name, value, refused)))
  }

  /** The server took a request without these. One that it refused all the same has proved nothing. */
  remember(names: Iterable<string>, target: Target): void {
    for (const name of names) this.#add(name === CARRIED ? getConversationKey(target) : target.server, name)
  }

  #of(key: string): ReadonlySet<string> {
    return this.#known.get(key) ?? new Set()
  }

  #add(key: string, name: string): void {
    const [oldest] = this.#known.keys()
    if (this.#known.size >= MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(key, new Set([...this.#of(key), name]))
  }
}

/** Which of the options an error with status 400 or 422 complains about. */
export function findRefusedOptions(body: string, options: Options): readonly string[] {
  const complaint = createComplaintMatcher(body)
  return [...options.keys()].filter((name) => !NEEDED.has(name) && complaint(name))
}

/** Reasoning that is stale in one conversation is not so in others. */
function getConversationKey({ server, conversation = '' }: Target): string {
  return `${server}\n${conversation}`
}

function findReplacement(name: string, value: unknown, refused: ReadonlySet<string>): [string, unknown][] {
  if (!refused.has(name)) return [[name, value]]
  const other = OTHER_LIMIT[name]
  return other !== undefined && !refused.has(other) ? [[other, value]] : []
}

const OTHER_LIMIT: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
}

/** Whether an error is about an option: services name it in `error.param`, or in quotes, or it is no everyday word. */
function createComplaintMatcher(body: string): (name: string) => boolean {
  const { error } = (tryParseJson(body)?.value ?? {}) as { error?: { param?: unknown; code?: unknown } | null }
  const param = typeof error?.param === 'string' ? error.param : undefined
  const isStaleReasoning = error?.code === 'invalid_encrypted_content'
  return (name) => {
    if (name === CARRIED) return isStaleReasoning
    if (isStaleReasoning) return false
    // A limit that is only too high must not be renamed.
    const other = OTHER_LIMIT[name]
    if (other !== undefined) return body.includes(other) && new RegExp(`\\b${name}\\b`).test(body)
    if (param) return name === param || name.startsWith(`${param}.`) || param.startsWith(`${name}.`)
    const [outer = name] = name.split('.')
    const word = outer.includes('_') ? `\\b${outer}\\b` : `['"\`]${outer}\\b`
    return new RegExp(word).test(body)
  }
}

/** Without the vendor before it, as routers write it. */
function getModelName(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).toLowerCase()
}
