/** What all wires do alike with a request. */
import type { Message } from './messages.ts'
import { modelFailure } from './model-failure.ts'
import type { ModelFailure } from './providers.ts'

/** The input of an earlier call as services want it back: they refuse what is no object, so raw text is wrapped. */
export function objectInput(input: unknown): object {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { unparsed: input }
}

/** The text of a result where a wire has no place for `failed`: the model reads that its call went wrong. */
export function resultText({ text, failed }: { readonly text: string; readonly failed?: boolean }): string {
  return failed && !/^\W*error\b/i.test(text) ? `Error: ${text}` : text
}

/** Why nothing is sent: a picture is larger than the service takes. Sizes are those of the picture, not of its base64. */
export function imageTooLarge(
  messages: readonly Message[],
  { who, maxBytes }: { readonly who: string; readonly maxBytes: number },
): ModelFailure | undefined {
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`
  for (const message of messages) {
    const images = message.role === 'system' ? [] : (message.images ?? [])
    const large = images.find(({ data }) => data.length * 0.75 > maxBytes)
    if (large)
      return modelFailure(
        'invalid',
        `A picture of this conversation has ${megabytes(large.data.length * 0.75)}, and ${who} takes ${megabytes(maxBytes)} at most. Nothing was sent. Use a smaller picture; when this conversation holds it already, start a new one.`,
      )
  }
  return undefined
}
