/** What all wires do alike with a request. */
import type { ImageContent, Message } from './messages.ts'
import { replayAnswer } from './model-carry.ts'
import { createModelFailure } from './model-failure.ts'
import type { ModelFailure, ModelRequest } from './providers.ts'

/**
 * The input of an earlier call as services accept it: they reject anything but an object, so raw text is wrapped.
 * @since 0.2
 */
export function toObjectInput(input: unknown): Record<string, unknown> {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return isObject ? (input as Record<string, unknown>) : { unparsed: input }
}

/** The text of a result where a wire has no place for `failed`: the model reads that its call went wrong. @since 0.2 */
export function toolResultText({ text, failed }: { readonly text: string; readonly failed?: boolean }): string {
  return failed && !/^\W*error\b/i.test(text) ? `Error: ${text}` : text
}

/** The pictures that a service takes. @since 0.2 */
export interface ImageLimits {
  /** Media types, such as `image/png`; left out: it is not known. */
  readonly types?: readonly string[]
  /** Of one picture, not of its base64. */
  readonly maxBytes: number
}

/** The text that replaces a picture which the service does not take; undefined when it takes it. @since 0.2 */
export function unsupportedImageText(image: ImageContent, { types, maxBytes }: ImageLimits): string | undefined {
  if (types?.includes(image.mediaType) === false)
    return `[a picture of type ${image.mediaType}, which this model cannot see]`
  const bytes = pictureBytes(image)
  return bytes <= maxBytes ? undefined : `[a picture of ${megabytes(bytes)}, too large for this model]`
}

/**
 * The failure of a call whose last message is the user's and has a picture that the service does not take: nothing needs
 * to be sent. Earlier pictures do not fail the call, or the conversation could never continue: they are replaced by
 * text.
 */
export function pictureFailure(
  messages: readonly Message[],
  limits: ImageLimits,
  who: string,
): ModelFailure | undefined {
  const last = messages.at(-1)
  const image = last?.role === 'user' ? last.images?.find((each) => unsupportedImageText(each, limits)) : undefined
  if (!image) return undefined
  const { types, maxBytes } = limits
  const isStrange = types?.includes(image.mediaType) === false
  const why = isStrange
    ? `A picture is of type ${image.mediaType}, and ${who} takes ${types.map((type) => type.replace('image/', '').toUpperCase()).join(', ')}`
    : `A picture has ${megabytes(pictureBytes(image))}, and ${who} takes ${megabytes(maxBytes)} at most`
  return createModelFailure('invalid', `${why}. Nothing was sent. Change the picture and send it again.`)
}

/** The error message of a service, in its own words. @since 0.2 */
export interface RejectedOptions {
  /** About options that its model does not know. */
  readonly options: RegExp
  /** About what came back of an earlier answer: it is not as it was given. */
  readonly carried: RegExp
  /** About the tier: the account or the model has no such one. */
  readonly tier?: RegExp
}

/**
 * The request without what the service complains about: the tier, or how hard to think and the temperature, or what was carried with
 * earlier answers. Undefined when there is nothing of the kind in it.
 * @since 0.2
 */
export function withoutRejectedOptions(
  request: ModelRequest,
  complaint: string,
  { provider, options, carried, tier }: RejectedOptions & { readonly provider: string },
): ModelRequest | undefined {
  if (request.serviceTier !== undefined && tier?.test(complaint)) {
    const { serviceTier: _, ...usual } = request
    return usual
  }
  const { reasoning, temperature, ...plain } = request
  const hasOptions = reasoning !== undefined || temperature !== undefined
  const author = { provider, model: request.model }
  const isCarrying = (message: Message) =>
    message.role === 'assistant' && replayAnswer(message, author).some(({ piece }) => piece)
  if (carried.test(complaint) && request.messages.some(isCarrying) && !(hasOptions && options.test(complaint)))
    return { ...request, messages: request.messages.map(withoutCarry) }
  return hasOptions && options.test(complaint) ? plain : undefined
}

function withoutCarry(message: Message): Message {
  if (message.role !== 'assistant') return message
  const { carry: _, ...rest } = message
  return rest
}

/** Four characters of base64 are three bytes. */
function pictureBytes({ data }: ImageContent): number {
  return Math.ceil(data.length * 0.75)
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2).replace(/\.?0+$/, '')} MB`
}
