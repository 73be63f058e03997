/** The stand-in and the platform beside the published types of Slack: the compiler reads this file. */
import type {
  AppHomeOpenedEvent,
  AssistantThreadContextChangedEvent,
  AssistantThreadStartedEvent,
  GenericMessageEvent,
  MessageAttachment,
} from '@slack/types'
import type * as Slack from '@slack/web-api'
import { expectTypeOf, test } from 'vitest'
import type { createManifest } from '../../../../../plugins/messaging/platforms/platform-slack/app-manifest.ts'
import type { createActions } from '../../../../../plugins/messaging/platforms/platform-slack/outbound.ts'
import type {
  createContext,
  createTabEvent,
  createViewEvent,
} from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/assistants.ts'
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
  'assistant.threads.setSuggestedPrompts': Slack.AssistantThreadsSetSuggestedPromptsArguments
  'assistant.threads.setTitle': Slack.AssistantThreadsSetTitleArguments
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

type Manifest = Slack.AppsManifestCreateArguments['manifest']
type Made = ReturnType<typeof createManifest>
type Scopes = NonNullable<NonNullable<NonNullable<Manifest['oauth_config']>['scopes']>['bot']>

test('the manifest of the app is one of the published types, which lack the scope of assistants', () => {
  const publish = (made: Omit<Made, 'oauth_config'>): Manifest => made
  expectTypeOf(publish).toBeFunction()
  type Known = Exclude<Made['oauth_config']['scopes']['bot'][number], 'assistant:write'>
  expectTypeOf<Known>().toExtend<Scopes[number]>()
})

test('events of views for assistants are those of the published types', () => {
  type Made<Type extends string> = ReturnType<typeof createViewEvent<Type>>
  expectTypeOf<Made<'assistant_thread_started'>>().toExtend<AssistantThreadStartedEvent>()
  expectTypeOf<Made<'assistant_thread_context_changed'>>().toExtend<AssistantThreadContextChangedEvent>()
  expectTypeOf<ReturnType<typeof createTabEvent>>().toExtend<AppHomeOpenedEvent>()
  expectTypeOf<ReturnType<typeof createContext>>().toExtend<NonNullable<GenericMessageEvent['app_context']>>()
})
