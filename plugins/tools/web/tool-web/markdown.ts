/** The main content of a page as Markdown: Readability finds it, Turndown writes it, both on the tree of domino. */
import { createContext, Script } from 'node:vm'
import type Turndown from 'turndown'
import { domino, Readability, TurndownService } from './reader.ts'
import { tableRules } from './table.ts'
import type { Tree, TreeElement } from './tree.ts'

const LEAST_TEXT = 200

/** Pages can be made to cost the libraries minutes; the rest of the program waits meanwhile. Each attempt has so long. */
const LIMIT_MS = 2000

/** What a page holds. */
export interface MarkdownPage {
  readonly title?: string
  readonly text: string
}

/** Its article, or the whole page without one; undefined if the libraries fail. See `measure` for its bounds. */
export function toMarkdown(html: string, url: string): MarkdownPage | undefined {
  return withTimeLimit(() => extractArticle(html, url)) ?? withTimeLimit(() => convertWholePage(html, url))
}

function withTimeLimit(convert: () => MarkdownPage | undefined): MarkdownPage | undefined {
  try {
    return new Script('convert()').runInContext(createContext({ convert }), { timeout: LIMIT_MS })
  } catch {
    // Too slow, or too deep for the libraries' recursion: the caller has a plainer way.
    return undefined
  }
}

function extractArticle(html: string, url: string): MarkdownPage | undefined {
  const tree = parseTree(html, url)
  const article = new Readability<TreeElement>(tree as unknown as ConstructorParameters<typeof Readability>[0], {
    disableJSONLD: true,
    charThreshold: LEAST_TEXT,
    serializer: (node: unknown) => node as TreeElement,
  }).parse()
  if (!article?.content || (article.textContent?.trim().length ?? 0) < LEAST_TEXT) return undefined
  return { ...(article.title ? { title: article.title } : {}), text: write(article.content, tree.baseURI) }
}

function convertWholePage(html: string, url: string): MarkdownPage {
  const { body, baseURI } = parseTree(html, url)
  return { text: write(body, baseURI) }
}

function write(content: TreeElement, base: string): string {
  const text = writer(base).turndown(content as unknown as Turndown.Node)
  return text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** A document with what Readability needs and domino lacks: an address to start from, and lists to iterate over. */
function parseTree(html: string, url: string): Tree {
  const { document } = domino.createWindow(html, url) as { document: Tree }
  const base = document.querySelector('base[href]')?.getAttribute('href') ?? ''
  const baseURI = URL.canParse(base, url) ? new URL(base, url).href : url
  Object.defineProperty(document, 'baseURI', { value: baseURI })
  const lists = Object.getPrototypeOf(document.getElementsByTagName('p'))
  if (!(Symbol.iterator in lists))
    Object.defineProperty(lists, Symbol.iterator, {
      value(this: ArrayLike<TreeElement>) {
        return Array.prototype.slice.call(this)[Symbol.iterator]()
      },
    })
  return document
}

function writer(base: string): Turndown {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  })
  service.remove(['script', 'style', 'noscript', 'iframe', 'object', 'button', 'input', 'select', 'textarea', 'canvas'])
  service.addRule('link', {
    filter: 'a',
    replacement: (content, node) => {
      const text = content.replace(/\s+/g, ' ').trim()
      const href = webAddress(toTreeElement(node).getAttribute('href'), base)
      return text === '' || href === undefined ? content : `[${text}](${href})`
    },
  })
  service.addRule('image', {
    filter: 'img',
    replacement: (_, node) => {
      const text = (toTreeElement(node).getAttribute('alt') ?? '').replace(/[\s[\]]+/g, ' ').trim()
      const source = webAddress(toTreeElement(node).getAttribute('src'), base)
      return text === '' || source === undefined ? '' : `![${text}](${source})`
    },
  })
  for (const [name, rule] of Object.entries(tableRules)) service.addRule(name, rule)
  return service
}

function toTreeElement(node: Turndown.Node): TreeElement {
  return node as unknown as TreeElement
}

/** The absolute address; undefined for places on the page itself and for what is no web address. */
function webAddress(href: string | null, base: string): string | undefined {
  if (!href || href.startsWith('#') || !URL.canParse(href, base)) return undefined
  const address = new URL(href, base)
  if (address.protocol !== 'http:' && address.protocol !== 'https:') return undefined
  return address.href.replace(/[()]/g, (char) => (char === '(' ? '%28' : '%29'))
}
