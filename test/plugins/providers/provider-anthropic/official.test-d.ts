/** What goes to the Messages API has the form of the official types. `npm run check` compiles this file; nothing here runs. */
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages/messages'
import type { messagesBody } from '../../../../plugins/providers/provider-anthropic/wire.ts'
import type { Wire } from '../../../support/replay.ts'

declare const sent: Wire<ReturnType<typeof messagesBody>>

export const body: Wire<MessageCreateParamsStreaming> = sent
// @ts-expect-error A limit has to be said.
export const unlimited: Wire<MessageCreateParamsStreaming> = { ...sent, max_tokens: undefined }
