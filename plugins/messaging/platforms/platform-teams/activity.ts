/** Activities of the Bot Framework (github.com/microsoft/botframework-sdk, "Bot Framework Activity") as Teams sends them. */
import type { DescribedMessage } from 'svc/sdk/kit/platform'
import type { InboundFile } from 'svc/sdk/platform'
import { z } from 'zod'

const account = z.object({ id: z.string(), name: z.string().optional(), aadObjectId: z.string().optional() })
const attachment = z.object({
  contentType: z.string(),
  contentUrl: z.string().optional(),
  name: z.string().optional(),
  content: z.unknown().optional(),
})
const download = z.object({ downloadUrl: z.string() })
const mention = z.object({ type: z.literal('mention'), text: z.string().optional(), mentioned: account })
const activity = z.object({
  type: z.string(),
  id: z.string().optional(),
  timestamp: z.string().optional(),
  serviceUrl: z.string(),
  from: account,
  conversation: z.object({ id: z.string(), conversationType: z.string().optional() }),
  text: z.string().optional(),
  replyToId: z.string().optional(),
  entities: z.array(z.unknown()).optional(),
  attachments: z.array(z.unknown()).optional(),
  value: z.unknown().optional(),
})
type Activity = z.infer<typeof activity>
const press = z.object({ svcPress: z.string(), svcLabel: z.string().default('') })

const FILE = 'application/vnd.microsoft.teams.file.download.info'
/** Before the id of a bot in Teams. */
const BOT = '28:'

/** What an activity says. */
export interface ReadActivity {
  readonly chatId: string
  readonly serviceUrl: string
  readonly messages: readonly DescribedMessage[]
}

/** Undefined if the value is not an activity. Activities other than messages, such as new members, have no `messages`. */
export function readActivity(value: unknown, appId: string): ReadActivity | undefined {
  const read = activity.safeParse(value)
  if (!read.success) return undefined
  const { type, id, conversation, serviceUrl } = read.data
  const [chatId = '', thread] = conversation.id.split(';messageid=')
  const isMessage = type === 'message' && id !== undefined
  const messages = isMessage ? [readMessage(read.data, { id, chatId, thread, appId })] : []
  return { chatId, serviceUrl, messages }
}

function readMessage(
  said: Activity,
  { id, chatId, thread, appId }: { id: string; chatId: string; thread: string | undefined; appId: string },
): DescribedMessage {
  const { from, conversation, timestamp, replyToId, value } = said
  const chosen = press.safeParse(value).data
  const { text, isMention } = withoutMention(said, appId)
  const files = (said.attachments ?? []).flatMap(readFile)
  const at = Date.parse(timestamp ?? '')
  return {
    // The id of a person in Teams differs from bot to bot; that of the directory, where there is one, does not.
    ...{ chatId, userId: from.aadObjectId ?? from.id, messageId: id, text: chosen ? chosen.svcLabel : text },
    ...(conversation.conversationType === 'channel' && { chatKind: 'channel' as const }),
    ...(conversation.conversationType === 'groupChat' && { chatKind: 'group' as const }),
    ...(thread !== undefined && { threadId: thread }),
    ...(from.name !== undefined && { userName: from.name }),
    ...(from.id.startsWith(BOT) && { isBot: true }),
    ...(isMention && { isMention }),
    ...(chosen && { press: chosen.svcPress }),
    ...(files.length > 0 && { files }),
    ...(replyToId !== undefined && !chosen && { quote: { messageId: replyToId } }),
    ...(Number.isFinite(at) && { at }),
  }
}

/** The name of the bot is how it is addressed, and no part of what was said. */
function withoutMention({ text = '', entities = [] }: Activity, appId: string) {
  const own = entities.flatMap((each) => {
    const { data } = mention.safeParse(each)
    return data && data.mentioned.id.replace(BOT, '') === appId ? [data.text ?? ''] : []
  })
  const cut = own.reduce((rest, name) => (name === '' ? rest : rest.replace(name, '')), text)
  return { text: own.length > 0 ? cut.trim() : text, isMention: own.length > 0 }
}

/** Others, such as the text once more as HTML, and cards, are no files. */
function readFile(value: unknown): InboundFile[] {
  const { data } = attachment.safeParse(value)
  if (!data) return []
  const { contentType, contentUrl, name = 'file', content } = data
  if (contentType === FILE) {
    const known = download.safeParse(content).data
    return known ? [{ ref: known.downloadUrl, name }] : []
  }
  if (contentUrl === undefined || !/^(?:image|audio|video)\//.test(contentType)) return []
  const mediaType = contentType.endsWith('/*') ? {} : { mediaType: contentType }
  return [{ ref: contentUrl, name, ...mediaType }]
}
