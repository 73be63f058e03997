/**
 * Comments on issues and pull requests of a code host: `POST` and `GET /repos/{owner}/{repo}/issues/{number}/comments`
 * (docs.github.com/rest/issues/comments). An invisible mark tells which comments are our own.
 */
import { createHash } from 'node:crypto'
import { type Net, type NetResponse, type SvcError, tryParseJson } from 'svc/sdk'
import {
  deliveryBusy,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryUncertain,
} from 'svc/sdk/platform'
import { z } from 'zod'
import type { Destination } from './destination.ts'

type CommentTarget = Extract<Destination, { kind: 'comment' }>

export interface CommentsDeps {
  readonly baseUrl: string
  net(): Net
  token(): string | undefined
  now(): number
}

const written = z.object({ id: z.number() })
const listed = z.array(z.object({ id: z.number(), body: z.string().nullish() }))
const failed = z.object({ message: z.string() })

const TIMEOUT_MS = 30_000
const PAGE = 100
const MAX_PAGES = 20
/** Clocks differ; comments of the preceding minutes are checked as well. */
const SLACK_MS = 600_000

export class Comments {
  readonly #deps: CommentsDeps

  constructor(deps: CommentsDeps) {
    this.#deps = deps
  }

  /** The id of the new comment. */
  async write(place: CommentTarget, text: string, key: string): Promise<string> {
    const body = JSON.stringify({ body: `${text}\n\n${createCommentMark(key)}` })
    const { status, answer, response } = await this.#ask(getCommentsPath(place), body)
    if (status !== 201) throw this.#failure(response, answer)
    const comment = written.safeParse(tryParseJson(answer)?.value)
    if (comment.success) return String(comment.data.id)
    throw deliveryUncertain(
      'WEBHOOK_COMMENT',
      'The code host answered something strange; the comment may have been written.',
    )
  }

  /** The comment that was written with this key since then. */
  async find(place: CommentTarget, key: string, since: number): Promise<string | undefined> {
    const mark = createCommentMark(key)
    const from = new Date(since - SLACK_MS).toISOString()
    for (let page = 1; page <= MAX_PAGES; page++) {
      const query = new URLSearchParams({ per_page: String(PAGE), page: String(page), since: from })
      const { status, answer, response } = await this.#ask(`${getCommentsPath(place)}?${query}`)
      if (status !== 200) throw this.#failure(response, answer)
      const comments = listed.safeParse(tryParseJson(answer)?.value)
      if (!comments.success)
        throw deliveryBusy('WEBHOOK_COMMENT', 'The code host answered something strange to a list of comments.')
      const found = comments.data.find(({ body }) => body?.includes(mark))
      if (found) return String(found.id)
      if (comments.data.length < PAGE) return undefined
    }
    throw deliveryBusy('WEBHOOK_COMMENT', 'There are too many comments to find one of ours.')
  }

  async #ask(path: string, body?: string): Promise<{ status: number; answer: string; response: NetResponse }> {
    const { baseUrl, net, token } = this.#deps
    const secret = token()
    if (!secret)
      throw deliveryRefused('WEBHOOK_COMMENT', 'Comments need GITHUB_TOKEN. Set it with `svc config set GITHUB_TOKEN`.')
    const headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${secret}`,
      'user-agent': 'svc',
      'x-github-api-version': '2022-11-28',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const request = { url: `${baseUrl.replace(/\/+$/, '')}${path}`, headers, timeoutMs: TIMEOUT_MS }
    try {
      const writing = { method: 'POST', body: body ?? '', once: true } as const
      const response = await net().request(body === undefined ? request : { ...request, ...writing })
      return { status: response.status, answer: await response.text(), response }
    } catch (cause) {
      throw deliveryErrorFromNetwork('WEBHOOK_COMMENT', 'The code host could not be reached', cause)
    }
  }

  /** Limits are said with status 403 as well (docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api). */
  #failure(response: NetResponse, answer: string): SvcError {
    const { headers, status } = response
    const reason = failed.safeParse(tryParseJson(answer)?.value).data?.message
    const isLimit = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined
    const seconds = Number(headers['retry-after'] ?? Number(headers['x-ratelimit-reset']) - this.#deps.now() / 1000)
    if ((status === 403 || status === 429) && isLimit && Number.isFinite(seconds))
      return deliveryBusy('WEBHOOK_COMMENT', 'The code host is rate-limiting requests.', {
        retryAfterMs: Math.max(1000, seconds * 1000),
      })
    const what = 'The code host did not take the comment'
    return deliveryErrorFromResponse({ code: 'WEBHOOK_COMMENT', what, response, ...(reason && { reason }) })
  }
}

function getCommentsPath({ repo, number }: CommentTarget): string {
  return `/repos/${repo}/issues/${number}/comments`
}

/** Not displayed, and not predictable from earlier comments. */
function createCommentMark(key: string): string {
  return `<!-- svc:${createHash('sha256').update(key).digest('hex').slice(0, 32)} -->`
}
