/** Views as data: written once by a plugin, shown by the terminal UI and by the web UI, each in its own way. */
import { checkMembers, type ExtensionPoint, extensionPoint, type Ordered } from './declarations.ts'
import type { Dispose } from './plugin.ts'

/** How a text is meant; each front end has colours for it. @since 0.2 */
export type ViewTone = 'plain' | 'dim' | 'ok' | 'warning' | 'error'

/**
 * A part of a view: plain data, so that it can be sent to a browser. Texts are plain text; control characters are dropped.
 * `progress` is from 0 to 1. `commands` are slash commands that the user can run, with their labels: the web UI shows buttons that
 * open the command in the conversation, the terminal UI lists the commands.
 * @since 0.2
 */
export type ViewBlock =
  | { readonly type: 'heading'; readonly text: string }
  | { readonly type: 'text'; readonly text: string; readonly tone?: ViewTone }
  | { readonly type: 'facts'; readonly rows: readonly (readonly [label: string, value: string])[] }
  | { readonly type: 'list'; readonly items: readonly string[] }
  | {
      readonly type: 'table'
      readonly head: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }
  | { readonly type: 'progress'; readonly label: string; readonly value: number }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'commands'; readonly items: readonly { readonly label: string; readonly command: string }[] }

/**
 * Where a view stands. `page`: a page of the web UI, and a screen of the terminal UI. `composer`: above the place where one types, in
 * both. `sidebar`: the foot of the navigation, and the last rows of the terminal. `sessions:top`, `board:bottom`: before or after
 * what a page of the web UI shows, by the first part of its path; not in the terminal.
 * @since 0.2
 */
export type SharedViewPlace = 'page' | 'composer' | 'sidebar' | `${string}:top` | `${string}:bottom`

/** A view as data, contributed to `SharedViews`. @since 0.2 */
export interface SharedView extends Ordered {
  /** Lower-case letters, digits and hyphens: the page is `/p/<name>`. */
  readonly name: string
  /** In navigation, palettes and titles. */
  readonly title: string
  readonly place: SharedViewPlace
  /**
   * What it shows now; none to stay out of a slot. Cheap, since the terminal asks for each picture: work that takes long is done
   * elsewhere, and ends with `onChange`. `sessionId` is that of the stored session on the screen; undefined without a session.
   * What it throws is charged to its plugin and shown in its place.
   */
  blocks(facts: { readonly sessionId?: string }): readonly ViewBlock[]
  /** Called once by each front end that shows it, with what asks for `blocks` again. */
  onChange?(changed: () => void): Dispose
}

const hasMembers = checkMembers({
  name: 'string',
  title: 'string',
  place: 'string',
  blocks: 'function',
  onChange: 'function?',
})

/** @since 0.2 */
export const SharedViews: ExtensionPoint<SharedView> = extensionPoint('shared-views', (view) => view.name, undefined, {
  problem: (item) => hasMembers(item) ?? findProblem(item as SharedView),
})

function findProblem({ name, place }: SharedView): string | undefined {
  if (!isPageName(name)) return `has the name "${name}": it is of lower-case letters, digits and hyphens`
  const isPlace = ['page', 'composer', 'sidebar'].includes(place) || /^[a-z][a-z-]*:(?:top|bottom)$/.test(place)
  return isPlace ? undefined : `has the place "${place}": it is page, composer, sidebar, or a page with :top or :bottom`
}

/** What is part of an address without being escaped. */
export function isPageName(name: string): boolean {
  return /^[a-z][a-z0-9-]{0,63}$/.test(name)
}

/** Whether a value is a list of blocks, for front ends that show what a plugin returned. @since 0.2 */
export function isViewBlocks(value: unknown): value is readonly ViewBlock[] {
  return Array.isArray(value) && value.every(isBlock)
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText)
const isRows = (value: unknown): boolean => Array.isArray(value) && value.every(isTexts)

function isBlock(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { type, text, rows, items, head, label, value: share } = value as Record<string, unknown>
  if (type === 'heading' || type === 'text' || type === 'code') return isText(text)
  if (type === 'facts') return isRows(rows)
  if (type === 'list') return isTexts(items)
  if (type === 'table') return isTexts(head) && isRows(rows)
  if (type === 'progress') return isText(label) && typeof share === 'number'
  return type === 'commands' && Array.isArray(items) && items.every(isCommand)
}

function isCommand(value: unknown): boolean {
  const { label, command } = (value ?? {}) as Record<string, unknown>
  return isText(label) && isText(command)
}
