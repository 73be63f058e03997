/** `web_extract`: pages as Markdown, each cut at a limit and kept whole in a file when it is longer. */
import { errorCode, errorMessage, SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import type { WebPage, WebSearchProvider } from 'svc/sdk/web'
import { askInTurn } from './choose.ts'
import { keepPage } from './page-file.ts'
import { summarise } from './summary.ts'
import { cutAt } from './text.ts'
import type { ExtractInput, WebDeps } from './tools.ts'

const MAX_CHARACTERS = 2_000_000

/** A page as it is shown, or why it is not. */
interface PageResult {
  readonly text: string
  readonly data: object
  readonly failed: boolean
}

export async function extractPages(input: ExtractInput, turn: ToolContext, deps: WebDeps): Promise<ToolResult> {
  const limit = Math.round(Math.min(500_000, Math.max(2000, input.char_limit ?? deps.config.extract_char_limit)))
  const urls = [...new Set(input.urls.map((url) => withScheme(url.trim())))]
  const pages = await Promise.all(urls.map((url) => show(url, limit, turn, deps)))
  return {
    text: pages.map(({ text }) => text).join('\n\n---\n\n'),
    data: pages.map(({ data }) => data),
    ...(pages.every(({ failed }) => failed) ? { failed: true } : {}),
  }
}

async function show(url: string, limit: number, turn: ToolContext, deps: WebDeps): Promise<PageResult> {
  try {
    await deps.guard().check(url)
    turn.progress(`reading ${new URL(url).host}`)
    const { value, backend, notes } = await askInTurn('extract', deps, turn.signal, (each, signal) =>
      fetchPage(each, url, signal),
    )
    return await formatPage(value, { url, backend, notes, limit, turn, host: deps })
  } catch (error) {
    if (turn.signal.aborted) throw turn.signal.reason
    const said = errorMessage(error)
    const text = errorCode(error) === 'URL_FORBIDDEN' ? said : `${url} could not be read.\n${said}`
    return { text, data: { url, problem: said }, failed: true }
  }
}

async function fetchPage(backend: WebSearchProvider, url: string, signal: AbortSignal): Promise<WebPage> {
  const page = await backend.extract?.(url, { signal })
  const text = page?.text.trim()
  if (page && text) return { ...page, text }
  throw new SvcError('WEB_PAGE_EMPTY', 'the page has no text; it may need scripts.')
}

interface Reading {
  readonly url: string
  readonly backend: string
  readonly notes: readonly string[]
  readonly limit: number
  readonly turn: ToolContext
  readonly host: WebDeps
}

async function formatPage(page: WebPage, reading: Reading): Promise<PageResult> {
  const { backend, limit, turn, host } = reading
  const title = page.title?.replace(/\s+/g, ' ').trim().slice(0, 300)
  const head = [...(title ? [`# ${title}`] : []), page.url].join('\n')
  const { length } = page.text
  const notes = reading.notes.length > 0 ? [...reading.notes, `This is what ${backend} read.`] : []
  const about = { url: reading.url, finalUrl: page.url, title, backend, characters: length, notes }
  if (length <= limit) return { text: [head, page.text, ...notes].join('\n\n'), data: about, failed: false }

  const whole = length > MAX_CHARACTERS ? cut(page.text, MAX_CHARACTERS) : page.text
  const file = await keepPage(host.folder, { url: page.url, text: host.mask(`${head}\n\n${whole}`), key: turn.callId })
  const summary = host.config.summarize
    ? await summarise({ ...page, text: whole }, limit, turn, host.auxiliary())
    : undefined
  const body = summary?.text ?? cut(page.text, limit)
  const where = `The whole page${whole === page.text ? '' : ` (its first ${MAX_CHARACTERS} characters)`} is in ${file}`
  const ending =
    summary?.text === undefined
      ? `[Cut after ${body.length} of ${length} characters. ${where}]`
      : `[This is a summary of ${length} characters. ${where}]`
  const more = [...notes, ...(summary?.problem ? [summary.problem] : [])]
  return { text: [head, body, ending, ...more].join('\n\n'), data: { ...about, file }, failed: false }
}

/** At the end of a line when there is one near. */
function cut(text: string, limit: number): string {
  const start = cutAt(text, limit)
  const line = start.lastIndexOf('\n')
  return line > limit - 500 ? start.slice(0, line) : start
}

/** Models leave out the scheme. */
function withScheme(url: string): string {
  return /^[\w-]+(\.[\w-]+)+(:\d+)?([/?#]|$)/.test(url) ? `https://${url}` : url
}
