/** A page as indented text, with a ref for everything that can be acted on. */
import { errorCode, errorMessage } from 'svc/sdk'
import type { BrowserTab } from 'svc/sdk/web'
import { type AxNode, type AxTree, readTree } from './accessibility.ts'
import { GONE } from './element.ts'
import { getRefs, type Refs } from './refs.ts'

/** Characters a snapshot has at most. */
export const SNAPSHOT_LENGTH = 8000
const LONGEST_NAME = 200
const LONGEST_LINE = 1000
const MAX_DEPTH = 40

/** Roles one acts on. */
const ACTIVE = new Set(
  'button link textbox searchbox combobox listbox option checkbox radio switch slider spinbutton menuitem menuitemcheckbox menuitemradio tab treeitem disclosuretriangle date datetime inputtime colorwell popupbutton'.split(
    ' ',
  ),
)
/** Roles that are shown although one does not act on them. */
const TEXT_ROLES = new Set('heading alert alertdialog dialog status iframe image img progressbar form'.split(' '))
/** Shown when the whole page is asked for. */
const STRUCTURE = new Set(
  'list listitem table row cell columnheader rowheader gridcell grid article navigation main banner contentinfo complementary region figure blockquote code listmarker tablist menu tree toolbar radiogroup group definition term'.split(
    ' ',
  ),
)
const SHORT_ROLES: Readonly<Record<string, string>> = { img: 'image', Iframe: 'iframe', IframePresentational: 'iframe' }
/** What is in them is their name or value. */
const CLOSED = new Set(['option', 'textbox', 'searchbox'])
/** Listens for clicks, but one means what is in it. */
const NEVER_NAMED = new Set(['rootwebarea', 'labeltext'])
const NO_ROLE = /^(generic|none|)$/
const STATES = ['disabled', 'checked', 'selected', 'expanded', 'pressed', 'required', 'readonly', 'focused', 'level']

/** What is wanted of a page. */
export interface SnapshotOptions {
  /** With all text, not only what can be acted on. */
  readonly full: boolean
  /** Characters to skip: where the part before ended. */
  readonly from: number
}

export interface Snapshot {
  readonly text: string
  /** Where the next part begins; undefined at the end. */
  readonly next: number | undefined
}

export async function takeSnapshot(tab: BrowserTab, options: SnapshotOptions): Promise<Snapshot> {
  const page = new PageText(options.from)
  const writer = new Writer(tab, page, options.full)
  try {
    await writer.writeFrame(tab.id, 0)
  } finally {
    await writer.done()
  }
  return page.result()
}

/** The part of a text that was asked for. */
class PageText {
  readonly #from: number
  #at = 0
  #text = ''
  #next: number | undefined

  constructor(from: number) {
    this.#from = from
  }

  get isFull(): boolean {
    return this.#next !== undefined
  }

  add(line: string): void {
    if (this.isFull) return
    const start = this.#at
    this.#at += line.length + 1
    if (start < this.#from) return
    if (this.#text.length + line.length > SNAPSHOT_LENGTH) this.#next = start
    else this.#text += `${line}\n`
  }

  result(): Snapshot {
    return { text: this.#text.trimEnd(), next: this.#next }
  }
}

/** An element as it is shown. */
interface ShownElement {
  readonly role: string
  readonly label: string
  /** It gets a ref. */
  readonly isNamed: boolean
}

class Writer {
  readonly #tab: BrowserTab
  readonly #refs: Refs
  readonly #page: PageText
  readonly #isFull: boolean
  readonly #frames = new Set<string>()

  constructor(tab: BrowserTab, page: PageText, isFull: boolean) {
    this.#tab = tab
    this.#refs = getRefs(tab)
    this.#page = page
    this.#isFull = isFull
  }

  async writeFrame(frameId: string, depth: number): Promise<void> {
    this.#frames.add(frameId)
    const tree = await readTree(this.#tab, frameId)
    await this.#writeChildren(tree, tree.root, depth, '')
  }

  /** Trees that were kept up to date for us no longer have to be. */
  async done(): Promise<void> {
    const targets = new Set([...this.#frames].map((frameId) => this.#tab.target(frameId)))
    await Promise.all([...targets].map((target) => target.send('Accessibility.disable').catch(() => undefined)))
  }

  async #writeChildren(tree: AxTree, node: AxNode, depth: number, said: string): Promise<void> {
    for (const child of await tree.children(node)) {
      if (this.#page.isFull) return
      await this.#write(tree, child, depth, said)
    }
  }

  async #write(tree: AxTree, node: AxNode, depth: number, said: string): Promise<void> {
    const role = getRole(node)
    if (role === 'inlinetextbox') return
    if (role === 'statictext') return this.#writeText(oneLine(node.name?.value ?? ''), depth, said)
    const shown = await this.#shown(tree, node, role)
    if (!shown) return this.#writeChildren(tree, node, depth, said)
    this.#page.add(this.#line(tree, node, shown, depth))
    if (role === 'iframe') return this.#writeFrame(tree, node, depth + 1)
    if (!CLOSED.has(role)) await this.#writeChildren(tree, node, depth + 1, `${said} ${shown.label}`)
  }

  /** How an element is shown; undefined when only what is in it is. */
  async #shown(tree: AxTree, node: AxNode, role: string): Promise<ShownElement | undefined> {
    const label = oneLine(node.name?.value ?? '')
    if (!node.ignored && (ACTIVE.has(role) || isEditable(node))) return { role, label, isNamed: true }
    const text = await clickableText(tree, node, role, label)
    if (text !== '') return { role: NO_ROLE.test(role) ? 'clickable' : role, label: text, isNamed: true }
    return this.#tells(node, role, label) ? { role, label, isNamed: false } : undefined
  }

  #tells(node: AxNode, role: string, name: string): boolean {
    if (node.ignored) return false
    if (role === 'image' || role === 'form') return name !== ''
    return TEXT_ROLES.has(role) || (this.#isFull && STRUCTURE.has(role))
  }

  #line(tree: AxTree, node: AxNode, { role, label, isNamed }: ShownElement, depth: number): string {
    const called = label === '' ? role : `${role} ${JSON.stringify(cut(label, LONGEST_NAME))}`
    const parts = [called]
    if (isNamed && node.backendDOMNodeId !== undefined) {
      const place = { frameId: tree.frameId, backendNodeId: node.backendDOMNodeId, label: called }
      parts.push(this.#refs.name(place))
    }
    const value = oneLine(String(node.value?.value ?? ''))
    if (value !== '' && value !== label) parts.push(`= ${JSON.stringify(cut(value, LONGEST_NAME))}`)
    parts.push(...states(node))
    return `${indent(depth)}- ${parts.join(' ')}`
  }

  #writeText(text: string, depth: number, said: string): void {
    if (!this.#isFull || text === '' || said.includes(text)) return
    for (let at = 0; at < text.length && !this.#page.isFull; at += LONGEST_LINE)
      this.#page.add(`${indent(depth)}${text.slice(at, at + LONGEST_LINE)}`)
  }

  async #writeFrame({ frameId }: AxTree, node: AxNode, depth: number): Promise<void> {
    const target = this.#tab.target(frameId)
    const described = await target.send<{ node: { frameId?: string } }>('DOM.describeNode', {
      backendNodeId: node.backendDOMNodeId,
    })
    const inner = described.node.frameId
    if (inner === undefined || this.#frames.has(inner)) return
    try {
      await this.writeFrame(inner, depth)
    } catch (error) {
      if (!GONE.includes(errorCode(error))) throw error
      this.#page.add(`${indent(depth)}(this frame cannot be read: ${errorMessage(error)})`)
    }
  }
}

function getRole(node: AxNode): string {
  const role = node.role?.value ?? ''
  return SHORT_ROLES[role] ?? role.toLowerCase()
}

/** What an element that merely listens for clicks is called; empty when it is not shown as one. */
async function clickableText(tree: AxTree, node: AxNode, role: string, label: string): Promise<string> {
  if (!tree.clickable.has(node.backendDOMNodeId ?? -1) || NEVER_NAMED.has(role)) return ''
  const text = label === '' ? await readText(tree, node) : label
  // What holds much text listens for what is in it.
  return text.length <= LONGEST_NAME ? text : ''
}

/** The text inside an element without a name. */
async function readText(tree: AxTree, node: AxNode): Promise<string> {
  const texts: string[] = []
  const collect = async (inner: AxNode): Promise<void> => {
    if (texts.join(' ').length > LONGEST_NAME) return
    if (inner.role?.value === 'StaticText') texts.push(oneLine(inner.name?.value ?? ''))
    else for (const child of await tree.children(inner)) await collect(child)
  }
  await collect(node)
  return texts.join(' ')
}

function isEditable(node: AxNode): boolean {
  return (
    node.properties?.some(({ name, value }) => name === 'editable' && value.value === 'richtext') === true &&
    isFocusable(node)
  )
}

function isFocusable(node: AxNode): boolean {
  return node.properties?.some(({ name, value }) => name === 'focusable' && value.value === true) === true
}

function states(node: AxNode): string[] {
  return (node.properties ?? []).flatMap(({ name, value: { value } }) => {
    if (!STATES.includes(name) || value === false || value === 'false' || value === undefined) return []
    if (name === 'expanded' || name === 'level') return [`${name}=${value}`]
    return [name]
  })
}

function indent(depth: number): string {
  return '  '.repeat(Math.min(depth, MAX_DEPTH))
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
