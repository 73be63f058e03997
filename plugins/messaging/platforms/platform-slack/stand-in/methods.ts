/** What methods of the Web API take (docs.slack.dev/reference/methods): all names, and what must be there. */

const TOKEN = 'token'
const PAGES = [TOKEN, 'channel', 'cursor', 'limit', 'latest', 'oldest', 'inclusive', 'include_all_metadata'] as const
const WORDS = [TOKEN, 'channel', 'text', 'markdown_text', 'blocks', 'attachments', 'as_user', 'link_names'] as const
const UNFURLS = ['unfurl_links', 'unfurl_media'] as const

export const slackMethods = {
  'apps.connections.open': { takes: [], needs: [] },
  'auth.test': { takes: [TOKEN], needs: [] },
  'users.info': { takes: [TOKEN, 'user', 'include_locale'], needs: ['user'] },
  'chat.postMessage': {
    takes: [
      ...([...WORDS, ...UNFURLS, 'parse', 'metadata', 'thread_ts', 'reply_broadcast'] as const),
      ...(['mrkdwn', 'username', 'icon_emoji', 'icon_url'] as const),
    ],
    needs: ['channel'],
  },
  'chat.update': {
    takes: [...WORDS, 'parse', 'metadata', 'ts', 'file_ids', 'reply_broadcast'],
    needs: ['channel', 'ts'],
  },
  'chat.postEphemeral': {
    takes: [...WORDS, 'parse', 'thread_ts', 'user', 'username', 'icon_emoji', 'icon_url'],
    needs: ['channel', 'user'],
  },
  'reactions.add': { takes: [TOKEN, 'channel', 'timestamp', 'name'], needs: ['channel', 'timestamp', 'name'] },
  'reactions.remove': { takes: [TOKEN, 'channel', 'timestamp', 'name', 'file', 'file_comment'], needs: ['name'] },
  'assistant.threads.setStatus': {
    takes: [TOKEN, 'channel_id', 'thread_ts', 'status', 'loading_messages', 'username', 'icon_emoji', 'icon_url'],
    needs: ['channel_id', 'thread_ts', 'status'],
  },
  'assistant.threads.setSuggestedPrompts': {
    takes: [TOKEN, 'channel_id', 'thread_ts', 'prompts', 'title'],
    needs: ['channel_id', 'prompts'],
  },
  'assistant.threads.setTitle': {
    takes: [TOKEN, 'channel_id', 'thread_ts', 'title'],
    needs: ['channel_id', 'thread_ts', 'title'],
  },
  'files.getUploadURLExternal': {
    takes: [TOKEN, 'filename', 'length', 'alt_text', 'snippet_type'],
    needs: ['filename', 'length'],
  },
  'files.completeUploadExternal': {
    takes: [TOKEN, 'files', 'initial_comment', 'blocks', 'channel_id', 'thread_ts'],
    needs: ['files'],
  },
  'conversations.history': { takes: PAGES, needs: ['channel'] },
  'conversations.replies': { takes: [...PAGES, 'ts'], needs: ['channel', 'ts'] },
} as const

export type SlackMethod = keyof typeof slackMethods

/** The reference of `chat.update` does not name them; they do no harm there. */
export const SLACK_UNNAMED: readonly string[] = UNFURLS

export function isSlackMethod(name: string): name is SlackMethod {
  return Object.hasOwn(slackMethods, name)
}
