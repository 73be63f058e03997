/** The stand-in and the platform beside the published types of Slack: the compiler reads this file. */
import type { MessageAttachment } from '@slack/types'
import type * as Slack from '@slack/web-api'
import { expectTypeOf, test } from 'vitest'
import type { createActions } from '../../../../../plugins/messaging/platforms/platform-slack/outbound.ts'
import type {
  SlackMethod,
  slackMethods,
} from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/methods.ts'

interface Published {
  'apps.connections.open': object
  'auth.test': NonNullable<Slack.AuthTestArguments>
  'users.info': Slack.UsersInfoArguments
  'chat.postMessage': Slack.ChatPostMessageArguments
  'chat.update': Slack.ChatUpdateArguments
  'chat.postEphemeral': Slack.ChatPostEphemeralArguments
  'reactions.add': Slack.ReactionsAddArguments
  'reactions.remove': Slack.ReactionsRemoveArguments
  'assistant.threads.setStatus': Slack.AssistantThreadsSetStatusArguments
  'files.getUploadURLExternal': Slack.FilesGetUploadURLExternalArguments
  'files.completeUploadExternal': Slack.FilesCompleteUploadExternalArguments
  'conversations.history': Slack.ConversationsHistoryArguments
  'conversations.replies': Slack.ConversationsRepliesArguments
}
/** Names of every member of a union. */
type Names<Given> = Given extends unknown ? keyof Given : never
/** Names that every member of a union must have. */
type Needed<Given, Name = keyof Given> = Name extends keyof Given
  ? [Given] extends [Record<Name, unknown>]
    ? Name
    : never
  : never

test('the stand-in for Slack knows the methods and their arguments as the published types do', () => {
  expectTypeOf<SlackMethod>().toEqualTypeOf<keyof Published>()
  expectTypeOf<{ [Method in SlackMethod]: (typeof slackMethods)[Method]['takes'][number] }>().toEqualTypeOf<{
    [Method in SlackMethod]: Names<Published[Method]>
  }>()
  expectTypeOf<{ [Method in SlackMethod]: (typeof slackMethods)[Method]['needs'][number] }>().toEqualTypeOf<{
    [Method in SlackMethod]: Needed<Published[Method]>
  }>()
})

test('choices are blocks of the published types', () => {
  expectTypeOf<ReturnType<typeof createActions>>().toExtend<MessageAttachment[]>()
})
