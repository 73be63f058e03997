/** The destination of an answer, from the route and the payload. */
import { SvcError } from 'svc/sdk'
import type { RouteSettings } from './config.ts'
import { fillTemplate } from './template.ts'

export type Destination =
  | { readonly kind: 'log' }
  | { readonly kind: 'comment'; readonly repo: string; readonly number: number }
  /** `isOwners`: none of it came from outside. */
  | { readonly kind: 'chat'; readonly target: string; readonly isOwners: boolean }

/** docs.github.com: names of owners and of repositories. */
const REPOSITORY = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/
const CHAT = /^[^\s:,][^\s,]{0,199}$/

/** Throws `WEBHOOK_TARGET` when the payload does not give what the route needs. */
export function resolveDestination(route: RouteSettings, payload: unknown): Destination {
  if (route.deliver === 'log') return { kind: 'log' }
  return route.deliver === 'github_comment' ? resolveComment(route, payload) : resolveChat(route, payload)
}

function resolveComment({ deliver_extra: extra }: RouteSettings, payload: unknown): Destination {
  const [repo, number] = [
    fillTemplate(extra.repo ?? '', payload).trim(),
    fillTemplate(extra.pr_number ?? '', payload).trim(),
  ]
  if (!REPOSITORY.test(repo))
    throw wrong(`deliver_extra.repo gives ${JSON.stringify(repo.slice(0, 80))}, which is no repository`)
  if (!/^[1-9]\d{0,9}$/.test(number))
    throw wrong(`deliver_extra.pr_number gives ${JSON.stringify(number.slice(0, 80))}, which is no number`)
  return { kind: 'comment', repo, number: Number(number) }
}

function resolveChat({ deliver, deliver_extra: extra }: RouteSettings, payload: unknown): Destination {
  const [platform = '', ...named] = deliver.split(':')
  const chat = named.length > 0 ? named.join(':') : extra.chat_id
  const templates = [chat, extra.thread_id].filter((each) => each !== undefined)
  const parts = templates.map((each) => fillTemplate(each, payload).trim())
  // A field that the payload does not have stays as it is written.
  const strange = parts.find((part) => !CHAT.test(part) || part.includes('{'))
  if (strange !== undefined) throw wrong(`it would go to ${JSON.stringify(strange.slice(0, 80))}, which is no chat`)
  const isOwners = templates.every((each, at) => each.trim() === parts[at])
  return { kind: 'chat', target: [platform, ...parts].join(':'), isOwners }
}

function wrong(why: string): SvcError {
  return new SvcError('WEBHOOK_TARGET', `The answer could not be delivered: ${why}.`, { status: 422 })
}
