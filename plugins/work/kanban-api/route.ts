/** What all routes of the board have in common: their prefix, the board they are about, and what a refusal looks like. */
import { type PluginContext, type Schema, SvcError } from 'svc/sdk'
import { Boards } from 'svc/sdk/kanban'
import { withStatus } from 'svc/sdk/kit/net'
import { type ApiRequest, type ApiRoute, type HttpResponse, jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'

export type Context = PluginContext<unknown>
export const PREFIX = '/api/plugins/kanban'
/** Who stands in the events where a request does not say it. */
export const AUTHOR = 'dashboard'
/** In the place of the name of a board. */
const ALL_BOARDS = '*'

export const boardQuery = z.looseObject({
  board: z.string().max(64).optional().meta({ description: 'The board; left out: the one in use.' }),
})

export const reasonBody = z.looseObject({ reason: z.string().max(32_768).nullish() })

interface Definition<Query, Body> {
  readonly method: ApiRoute['method']
  readonly path: string
  readonly summary: string
  readonly query?: Schema<Query>
  readonly body?: Schema<Body>
  readonly response?: Schema<unknown>
  readonly maxBytes?: number
  /** A value is sent as JSON. */
  handle(boards: Boards, request: ApiRequest<Query, Body>): Promise<object>
}

/** HTTP has other numbers for refusals than the boards, which know no HTTP. */
const STATUSES: Readonly<Record<string, number>> = {
  KANBAN_TASK_UNKNOWN: 404,
  KANBAN_BOARD_UNKNOWN: 404,
  KANBAN_INPUT: 400,
  KANBAN_GRAPH: 400,
  KANBAN_REFUSED: 409,
  KANBAN_LEASE_LOST: 409,
  KANBAN_CHECKS_OPEN: 409,
  KANBAN_UNKNOWN_TASKS: 409,
  STORAGE_BUSY: 503,
  STORAGE_TIMEOUT: 503,
  STORAGE_UNAVAILABLE: 503,
}

/** A reply that is not JSON, such as a stream. */
export class RawReply {
  readonly reply: HttpResponse

  constructor(reply: HttpResponse) {
    this.reply = reply
  }
}

export function defineRoute<Query = unknown, Body = unknown>(
  ctx: Context,
  { handle, path, ...definition }: Definition<Query, Body>,
): ApiRoute {
  const route: ApiRoute<Query, Body> = {
    ...definition,
    path: `${PREFIX}${path}`,
    failure: ({ status, code, message }) => jsonResponse({ detail: message, code: formatCode(code) }, status),
    async handle(request) {
      const reply = await withStatus(STATUSES, () => handle(ctx.use(Boards), request))
      return reply instanceof RawReply ? reply.reply : jsonResponse(reply)
    },
  }
  return route as ApiRoute
}

export function formatCode(code: string): string {
  return code.replace(/^API_/, '').toLowerCase()
}

export function invalid(message: string): SvcError {
  return new SvcError('API_KANBAN_INPUT', message, { status: 400 })
}

export function getId({ http }: Pick<ApiRequest, 'http'>): string {
  return http.params['id'] ?? ''
}

/** A number in the path. Throws `API_KANBAN_UNKNOWN`. */
export function getNumber({ http }: Pick<ApiRequest, 'http'>): number {
  const id = http.params['id'] ?? ''
  if (/^\d{1,15}$/.test(id)) return Number(id)
  throw new SvcError('API_KANBAN_UNKNOWN', `There is nothing with the number ${JSON.stringify(id.slice(0, 40))}.`, {
    status: 404,
  })
}

/** As the boards take it: null for all of them. */
export function getBoard({ board }: { readonly board?: string | undefined }): { readonly board?: string | null } {
  if (board === undefined || board === '') return {}
  return { board: board === ALL_BOARDS ? null : board }
}

/** A service of a plugin that is loaded when it is first asked for. Throws `API_KANBAN_ABSENT`. */
export function requireService<T>(service: T | undefined): T {
  if (service !== undefined) return service
  throw new SvcError('API_KANBAN_ABSENT', 'The plugin that does this is switched off on this server.', { status: 501 })
}

/** The name of one board. */
export async function findBoard(boards: Boards, query: { readonly board?: string | undefined }): Promise<string> {
  return (await boards.board(query.board === '' ? undefined : query.board)).slug
}

/** Whether a flag of a query is on. */
export const flag = z.enum(['true', 'false', '1', '0']).optional()
export const isOn = (value: z.infer<typeof flag>) => value === 'true' || value === '1'
