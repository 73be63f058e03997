/** Parts of lists that are made as a whole. */
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'

const PAGE = 100

/** Throws an error of the protocol for a cursor that is not of such a list. */
export function cutPage<Item>(
  all: readonly Item[],
  cursor: string | undefined,
): { readonly items: readonly Item[]; readonly nextCursor?: string } {
  if (cursor !== undefined && !/^\d{1,9}$/.test(cursor)) throw unknownCursor()
  const from = Number(cursor ?? 0)
  const to = from + PAGE
  return { items: all.slice(from, to), ...(to < all.length && { nextCursor: String(to) }) }
}

export function unknownCursor(): McpError {
  return new McpError(ErrorCode.InvalidParams, 'The cursor is not one that this list returned.')
}
