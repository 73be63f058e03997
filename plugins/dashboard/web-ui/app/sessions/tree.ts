/** Rows of a tree as they come, each with its depth, as nodes that lists are drawn from. */
import type { ResultOf } from '../client/typed.ts'

export type TreeRow = ResultOf<'GET', '/api/sessions/:id/tree'>['rows'][number]

export interface TreeNode {
  readonly row: TreeRow
  readonly below: readonly TreeNode[]
}

export function toNodes(rows: readonly TreeRow[]): readonly TreeNode[] {
  const top: TreeNode[] = []
  const open: TreeNode[][] = [top]
  for (const row of rows) {
    const below: TreeNode[] = []
    open.length = Math.min(open.length, row.depth + 1)
    open.at(-1)?.push({ row, below })
    open.push(below)
  }
  return top
}
