/** Pages of plugins in the web UI that have scripts and styles of their own. Those that are data are in `SharedViews`. */

import { checkMembers, type ExtensionPoint, extensionPoint, type Ordered } from './declarations.ts'
import { isPageName } from './shared-views.ts'

/**
 * A page of the web UI with files of its own, contributed to `DashboardPages`. Its module runs in a frame without an origin: it
 * cannot reach the page around it, its token, its storage or the network, and does everything through `DashboardPageClient`.
 * @since 0.2
 */
export interface DashboardPage extends Ordered {
  /** Lower-case letters, digits and hyphens: the page is `/p/<name>`, and below it for addresses of its own. */
  readonly name: string
  /** In the navigation, the palette and the title of the window. */
  readonly title: string
  /** The part of the navigation (default `insight`). */
  readonly group?: 'work' | 'setup' | 'insight'
  /** An absolute path. Only files with suffixes of the web are sent, without pages and hidden files; each has an integrity hash. */
  readonly folder: string
  /** The module in `folder` whose default export is a `DashboardPageMount`: `page.js`. */
  readonly entry: string
  /** A style sheet in `folder`. That of the web UI is there already. */
  readonly style?: string
  /**
   * What the page may ask for besides routes below `/api/plugins/<plugin>/`: routes as `GET /api/sessions/:id`, and methods of
   * JSON-RPC. All else is refused.
   */
  readonly uses?: { readonly routes?: readonly string[]; readonly methods?: readonly string[] }
}

const hasMembers = checkMembers({
  name: 'string',
  title: 'string',
  folder: 'string',
  entry: 'string',
  style: 'string?',
})

/** @since 0.2 */
export const DashboardPages: ExtensionPoint<DashboardPage> = extensionPoint(
  'dashboard-pages',
  (page) => page.name,
  undefined,
  { problem: (item) => hasMembers(item) ?? findProblem(item as DashboardPage) },
)

function findProblem({ name }: DashboardPage): string | undefined {
  return isPageName(name) ? undefined : `has the name "${name}": it is of lower-case letters, digits and hyphens`
}

/** How the web UI looks and where it is, for a page in it. @since 0.2 */
export interface DashboardPageState {
  /** A BCP 47 tag in lower case: `en`, `zh-hant`. The frame has it as `lang`, with its direction. */
  readonly language: string
  /** The name of a skin of the terminal, empty where the system decides. Its colours are custom properties: `var(--accent)`. */
  readonly theme: string
  /** The address after `/p/<name>`: empty, or it begins with `/`. */
  readonly path: string
}

/** What a page can do. Promises reject with an `Error` that has `code` and the words of the server. @since 0.2 */
export interface DashboardPageClient {
  readonly name: string
  readonly state: DashboardPageState
  /** Called after each change of `state`. Returns what ends it. */
  onState(listener: (state: DashboardPageState) => void): () => void
  /** Asks a route of the dashboard; resolves with its JSON. A route that `DashboardPage.uses` does not name is refused. */
  request(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: { readonly query?: Readonly<Record<string, string | number | boolean>>; readonly body?: unknown },
  ): Promise<unknown>
  /** Calls a method of JSON-RPC that `DashboardPage.uses` names. */
  call(method: string, params?: object): Promise<unknown>
  /** Goes to another address of the web UI: `/chat`, `/p/<name>/more`. */
  navigate(path: string): void
  /** A short text at the edge of the page. */
  notify(text: string, tone?: 'info' | 'ok' | 'warning' | 'error'): void
}

/**
 * The default export of the module of a page. `element` is the `HTMLElement` that it fills. What it throws, or its promise rejects
 * with, is shown in a card that names the plugin. Nothing of it is called when the page is left: its frame ends with all that it began.
 * @since 0.2
 */
export type DashboardPageMount<Element = unknown> = (element: Element, host: DashboardPageClient) => unknown
