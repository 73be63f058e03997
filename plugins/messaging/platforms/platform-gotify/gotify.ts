/** Gotify as a platform, after gotify.net/api-docs and gotify.net/docs/msgextras. */
import { tryParseJson } from 'svc/sdk'
import { type PlatformApi, readSocket, type StreamPlatform } from 'svc/sdk/kit/platform'
import { commonMarkMarkup, deliveryRefused, type InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'

const user = z.object({ id: z.number(), name: z.string() })
const message = z.object({
  id: z.number(),
  appid: z.number(),
  message: z.string(),
  title: z.string().nullish(),
  date: z.string().optional(),
  extras: z.record(z.string(), z.unknown()).nullish(),
})
type Message = z.infer<typeof message>
const sent = z.object({ id: z.number() })
const page = z.object({ messages: z.array(message) })
const own = z.object({ key: z.string() })
const failure = z.object({ errorDescription: z.string() })

/** By this extra our own messages are known, and which they are. */
const OWN = 'svc::message'
/** All that is published to the account is one chat; only one application answers. */
const INBOX = 'inbox'
const PAGE = 100
/** So many pages are read of what was missed, and searched for a message. */
const PAGES = 20
/** Servers ping every 45 seconds unless their owner changed that. */
const SILENCE_MS = 120_000
const PRIORITY = 5

export const gotify: StreamPlatform<z.infer<typeof user>> = {
  name: 'gotify',
  label: 'Gotify',
  hint: 'Answers are shown as push notifications: write one or two sentences.',
  access: { users: 'GOTIFY_ALLOWED_USERS', everyone: 'GOTIFY_ALLOW_ALL_USERS', home: 'GOTIFY_HOME_CHANNEL' },
  limits: { maxTextLength: 10_000, idempotency: 'lookup', markup: commonMarkMarkup },
  baseUrl: '',
  addressFrom: 'GOTIFY_URL',
  needs: ['GOTIFY_CLIENT_TOKEN', 'GOTIFY_APP_TOKEN'],
  api: ({ secret }) => ({
    headers: () => ({ 'x-gotify-key': secret('GOTIFY_CLIENT_TOKEN') }),
    refusal({ status, json }) {
      const reason = failure.safeParse(json).data?.errorDescription
      return { ...(reason !== undefined && { reason }), ...(status === 401 && { kind: 'logged-out' }) }
    },
  }),
  identify: (api) => api.ask({ path: '/current/user', answer: user }),
  positionOf: ({ id }, { address }) => `${address} ${id}`,
  async *listen(api, { address, secret, clock, signal, position }) {
    const url = `${address.replace(/^http/, 'ws')}/stream?${new URLSearchParams({ token: secret('GOTIFY_CLIENT_TOKEN') })}`
    const events = readSocket({ url, label: 'Gotify', clock, signal, silenceMs: SILENCE_MS })
    // What is published from here on comes over the socket.
    await events.next()
    const missed = await listMissed(api, position === undefined ? undefined : Number(position))
    let last = Number(position ?? 0)
    const take = (all: readonly Message[]) => {
      last = Math.max(last, ...all.map(({ id }) => id))
      return { messages: all.flatMap(toInbound), position: String(last) }
    }
    yield position === undefined ? { ...take(missed), messages: [] } : take(missed)
    for await (const text of events) {
      const event = message.safeParse(tryParseJson(text ?? '')?.value).data
      if (event && event.id > last) yield take([event])
    }
  },
  async send({ chatId, text, key, commit }, api, { secret }) {
    if (chatId !== INBOX)
      throw deliveryRefused('PLATFORM_REFUSED', `Gotify has one chat, "${INBOX}", and no "${chatId}".`)
    const extras = { 'client::display': { contentType: 'text/markdown' }, [OWN]: { key } }
    const json = { title: 'svc', message: text, priority: PRIORITY, extras }
    const headers = { 'x-gotify-key': secret('GOTIFY_APP_TOKEN') }
    const { id } = await api.ask({ path: '/message', json, headers, commit, answer: sent })
    return { messageId: String(id) }
  },
  async find({ key }, api) {
    for await (const messages of listPages(api)) {
      const found = messages.find(({ extras }) => own.safeParse(extras?.[OWN]).data?.key === key)
      if (found) return { messageId: String(found.id) }
    }
    return undefined
  },
}

/** Newest first. */
async function* listPages(api: PlatformApi): AsyncGenerator<readonly Message[]> {
  let since = ''
  for (let count = 0; count < PAGES; count++) {
    const { messages } = await api.ask({ path: `/message?limit=${PAGE}${since}`, answer: page })
    yield messages
    const oldest = messages.at(-1)
    if (messages.length < PAGE || !oldest) return
    since = `&since=${oldest.id}`
  }
}

/** Oldest first, behind `position`; only the newest when nothing was read before. */
async function listMissed(api: PlatformApi, position: number | undefined): Promise<readonly Message[]> {
  const missed: Message[] = []
  for await (const messages of listPages(api)) {
    if (position === undefined) return messages.slice(0, 1)
    const behind = messages.filter(({ id }) => id > position)
    missed.push(...behind)
    if (behind.length < messages.length) break
  }
  return missed.reverse()
}

/** The publisher is an application: titles can be set by any sender, so they prove nothing. */
function toInbound({ id, appid, title, message: text, date, extras }: Message): Omit<InboundMessage, 'platform'>[] {
  if (extras?.[OWN] !== undefined) return []
  const at = Date.parse(date ?? '')
  const said = title ? `${title}\n${text}` : text
  const origin = { chatId: INBOX, userId: String(appid), messageId: String(id), text: said }
  return [{ ...origin, ...(Number.isFinite(at) && { at }) }]
}
