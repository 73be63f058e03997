/** The accessibility tree of a page, frame by frame: at once when the page is small, else as far as it is read. */
import type { BrowserTab, CdpTarget } from 'svc/sdk/web'
import { evaluate } from './world.ts'

/** https://chromedevtools.github.io/devtools-protocol/tot/Accessibility/#type-AXNode */
export interface AxNode {
  readonly nodeId: string
  readonly ignored: boolean
  readonly role?: { readonly value?: string }
  readonly name?: { readonly value?: string }
  readonly value?: { readonly value?: string | number }
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[]
  readonly childIds?: readonly string[]
  readonly backendDOMNodeId?: number
}

/** The tree of one frame. */
export interface AxTree {
  readonly frameId: string
  readonly root: AxNode
  /** Elements that listen for clicks without being links or buttons. */
  readonly clickable: ReadonlySet<number>
  children(node: AxNode): Promise<readonly AxNode[]>
}

/** A tree is read at once up to so many elements and characters. */
const SMALL = { elements: 5000, characters: 500_000 }
/** After so many questions about one page, the rest of it is left out. */
const MAX_QUESTIONS = 5000

export async function readTree(tab: BrowserTab, frameId: string): Promise<AxTree> {
  const target = tab.target(frameId)
  if (await isLarge(tab, frameId)) return largeTree(target, frameId)
  const clickable = await clickableNodes(target)
  const { nodes } = await target.send<{ nodes: readonly AxNode[] }>('Accessibility.getFullAXTree', { frameId })
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const children = async (node: AxNode) => (node.childIds ?? []).flatMap((id) => byId.get(id) ?? [])
  return { frameId, root: nodes[0] ?? NOTHING, clickable, children }
}

const NOTHING: AxNode = { nodeId: '', ignored: true }

async function largeTree(target: CdpTarget, frameId: string): Promise<AxTree> {
  let questions = 0
  // The browser answers single questions only while it keeps the tree up to date.
  await target.send('Accessibility.enable')
  const { node } = await target.send<{ node: AxNode }>('Accessibility.getRootAXNode', { frameId })
  const children = async ({ nodeId, childIds = [] }: AxNode) => {
    questions += 1
    if (childIds.length === 0 || questions > MAX_QUESTIONS) return []
    const { nodes } = await target.send<{ nodes: readonly AxNode[] }>('Accessibility.getChildAXNodes', {
      id: nodeId,
      frameId,
    })
    return nodes
  }
  return { frameId, root: node, clickable: new Set(), children }
}

interface DomSnapshot {
  readonly documents: readonly {
    readonly nodes: {
      readonly backendNodeId: readonly number[]
      readonly isClickable?: { readonly index: readonly number[] }
    }
  }[]
}

function isLarge(tab: BrowserTab, frameId: string): Promise<boolean> {
  const { elements, characters } = SMALL
  const text = '(document.documentElement?.textContent.length ?? 0)'
  return evaluate(tab, frameId, `document.getElementsByTagName('*').length > ${elements} || ${text} > ${characters}`)
}

async function clickableNodes(target: CdpTarget): Promise<Set<number>> {
  const { documents } = await target.send<DomSnapshot>('DOMSnapshot.captureSnapshot', { computedStyles: [] })
  const clickable = new Set<number>()
  for (const { nodes } of documents)
    for (const index of nodes.isClickable?.index ?? []) {
      const id = nodes.backendNodeId[index]
      if (id !== undefined) clickable.add(id)
    }
  return clickable
}
