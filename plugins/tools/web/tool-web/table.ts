/** Tables as Markdown; those that only arrange a page, with one column or tables inside, become its blocks. */
import type TurndownService from 'turndown'
import type { TreeElement, TreeNode } from './tree.ts'

/** What is asked of a table for each of its cells, found once. */
interface Grid {
  /** Several columns and no tables inside: data, not layout. */
  readonly isData: boolean
  readonly firstRow: TreeElement | undefined
}

const grids = new WeakMap<TreeNode, Grid>()
const noGrid: Grid = { isData: false, firstRow: undefined }

/** Rules for Turndown, which leaves cells as paragraphs. */
export const tableRules: Readonly<Record<string, TurndownService.Rule>> = {
  cell: {
    filter: ['td', 'th'],
    replacement: (content, node) => {
      if (!getGrid(node).isData) return `\n\n${content}\n\n`
      return ` ${content.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')} |`
    },
  },
  row: {
    filter: 'tr',
    replacement: (content, node) => {
      const { isData, firstRow } = getGrid(node)
      if (!isData) return content
      const row = node as unknown as TreeElement
      return `|${content}\n${firstRow === row ? `|${' --- |'.repeat(countColumns(row))}\n` : ''}`
    },
  },
  part: { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content },
  table: { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` },
}

function getGrid(node: TurndownService.Node): Grid {
  let table: TreeNode | null = node as unknown as TreeNode
  while (table && table.nodeName !== 'TABLE') table = table.parentNode
  if (!table) return noGrid
  const known = grids.get(table)
  if (known) return known
  const element = table as TreeElement
  const [firstRow] = Array.prototype.slice.call(element.getElementsByTagName('tr'), 0, 1) as TreeElement[]
  const isData =
    element.getElementsByTagName('table').length === 0 && firstRow !== undefined && countColumns(firstRow) > 1
  grids.set(table, { isData, firstRow })
  return { isData, firstRow }
}

function countColumns(row: TreeElement): number {
  return Array.prototype.filter.call(row.childNodes, ({ nodeName }: TreeNode) => nodeName === 'TD' || nodeName === 'TH')
    .length
}
