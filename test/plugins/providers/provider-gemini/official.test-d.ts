/** What goes to Gemini has the form of the official types. `npm run check` compiles this file; nothing here runs. */
import type { Content, FunctionDeclaration, GenerateContentConfig, ThinkingLevel } from '@google/genai'
import type { contentBody } from '../../../../plugins/providers/provider-gemini/wire.ts'
import type { Wire } from '../../../support/replay.ts'

type Sent = ReturnType<typeof contentBody>
/** A schema is JSON, whose types and formats are only known when it is written. */
type Declaration = Omit<Wire<FunctionDeclaration>, 'parameters'> & { readonly parameters?: object }
type Thinking = Omit<NonNullable<Wire<GenerateContentConfig>['thinkingConfig']>, 'thinkingLevel'> & {
  readonly thinkingLevel?: Lowercase<`${ThinkingLevel}`>
}
type Generation = Omit<Wire<Pick<GenerateContentConfig, 'maxOutputTokens' | 'temperature'>>, never> & {
  readonly thinkingConfig?: Thinking
}
declare const sent: Sent

export const contents: readonly Wire<Content>[] = sent.contents
export const system: Wire<Content> | undefined = sent.systemInstruction
export const tools: readonly { readonly functionDeclarations: readonly Declaration[] }[] | undefined = sent.tools
export const generation: Generation | undefined = sent.generationConfig
// @ts-expect-error A role is text.
export const wrong: readonly Wire<Content>[] = [{ parts: [], role: 1 }]
