/**
 * Names of options in bodies of OpenAI are those of the official types; messages, items and tools are written with these
 * types in the wires themselves. `npm run check` compiles this file; nothing here runs.
 */
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions'
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses'

/** The names that the wires may put into a body, beside the conversation and fields that only other vendors have. */
export const ofChat = [
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'prompt_cache_key',
  'reasoning_effort',
  'stream',
  'stream_options',
] as const satisfies readonly (keyof ChatCompletionCreateParamsStreaming)[]
export const ofResponses = [
  'max_output_tokens',
  'reasoning',
  'temperature',
  'prompt_cache_key',
  'include',
  'store',
  'stream',
] as const satisfies readonly (keyof ResponseCreateParamsStreaming)[]
