/** The web tools, as the model is told of them. The work of each is imported when it is first used. */
import { type AuxiliaryModels, type Clock, defineTool, type Tool } from 'svc/sdk'
import type { SafeFetch, WebSearchProvider } from 'svc/sdk/web'
import { z } from 'zod'
import { choose } from './choose.ts'
import type { Config } from './config.ts'
import { extractView, searchView } from './view.ts'

export interface WebDeps {
  readonly config: Config
  /** Where whole pages are kept. */
  readonly folder: string
  readonly backends: () => readonly WebSearchProvider[]
  readonly guard: () => SafeFetch
  readonly clock: () => Clock
  readonly auxiliary: () => AuxiliaryModels | undefined
  readonly mask: (text: string) => string
  /** A backend failed. */
  onFault(backend: string, error: unknown): void
}

const searchInput = z.object({
  query: z.string().trim().min(1),
  limit: z.number().min(1).max(20).default(5),
})
const extractInput = z.object({
  urls: z.array(z.string()).min(1).max(5),
  char_limit: z.number().optional().describe('per page, 2000 to 500000'),
})

export type SearchInput = z.infer<typeof searchInput>
export type ExtractInput = z.infer<typeof extractInput>

const reading = {
  effect: 'pure',
  toolset: 'web',
  reach: 'network',
  scope: { core: true, scripts: true, strangers: true, events: true },
  parallel: true,
  untrusted: true,
} as const

/** Makes the two tools. */
export function webTools(deps: WebDeps): readonly Tool[] {
  const missing = (job: 'search' | 'extract') => () =>
    choose(job, deps).backends.length > 0 ? undefined : 'needs a web backend; see `svc plugins`'
  return [
    defineTool<SearchInput>({
      name: 'web_search',
      knownAs: [{ name: 'WebSearch' }],
      description: 'Search the web: titles, addresses, snippets.',
      input: searchInput,
      ...reading,
      missing: missing('search'),
      view: searchView,
      run: async (input, turn) => (await import('./search.ts')).searchWeb(input, turn, deps),
    }),
    defineTool<ExtractInput>({
      name: 'web_extract',
      knownAs: [{ name: 'WebFetch' }],
      description: 'Read web pages as Markdown. A longer page is cut and kept whole in a file.',
      input: extractInput,
      ...reading,
      missing: missing('extract'),
      view: extractView,
      run: async (input, turn) => (await import('./extract.ts')).extractPages(input, turn, deps),
    }),
  ]
}
