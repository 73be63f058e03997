/** An element that the model named: where it is, what lies over it, and how it is asked something. */
import { errorCode, SvcError } from 'svc/sdk'
import type { BrowserTab } from 'svc/sdk/web'
import { type ElementLocation, getRefs } from './refs.ts'
import { callOn, isolatedWorld } from './world.ts'

interface Point {
  readonly x: number
  readonly y: number
}

/** The middle of what can be seen of an element, and how large that is. */
export interface Spot extends Point {
  readonly width: number
  readonly height: number
}

/** An element as our own context of its frame sees it. */
export interface Element {
  readonly place: ElementLocation
  /** Calls a function of JavaScript text with the element as `this`; the result is plain data. */
  call<Result>(source: string, ...values: readonly unknown[]): Promise<Result>
}

/** What a command to something that is no longer there fails with. */
export const GONE: readonly string[] = ['BROWSER_PROTOCOL', 'BROWSER_TAB_GONE']

/** Finds it again; throws `BROWSER_STALE_REF`. */
export async function findElement(tab: BrowserTab, ref: string): Promise<Element> {
  const place = getRefs(tab).find(ref)
  const stale = new SvcError('BROWSER_STALE_REF', `${ref} is gone from the page. Take a new browser_snapshot.`)
  const element = await elementAt(tab, place.frameId, place).catch((error) => {
    if (GONE.includes(errorCode(error))) throw stale
    throw error
  })
  if (!(await element.call<boolean>('function () { return this.isConnected }'))) throw stale
  return element
}

async function elementAt(tab: BrowserTab, frameId: string, place: ElementLocation): Promise<Element> {
  const target = tab.target(frameId)
  const { object } = await target.send<{ object: { objectId: string } }>('DOM.resolveNode', {
    backendNodeId: place.backendNodeId,
    executionContextId: await isolatedWorld(target, frameId),
  })
  return { place, call: (source, ...values) => callOn(target, object.objectId, source, values) }
}

/**
 * Where its middle is on the page, in view, with nothing over it. Throws `BROWSER_HIDDEN`, `BROWSER_DISABLED` or
 * `BROWSER_COVERED`.
 */
export async function findPoint(
  tab: BrowserTab,
  element: Element,
  where: 'in view' | 'as it is' = 'in view',
): Promise<Spot> {
  const { place } = element
  if (where === 'in view') await bringIntoView(tab, place)
  const seen = await element.call<Spot & { problem?: 'hidden' | 'disabled'; cover?: string }>(LOOK)
  if (seen.problem === 'hidden') throw createHiddenError(place)
  if (seen.problem === 'disabled') throw new SvcError('BROWSER_DISABLED', `${place.label} is disabled.`)
  if (seen.cover !== undefined) throw createCoveredError(place, seen.cover)
  return { ...(await outward(tab, place, seen)), width: seen.width, height: seen.height }
}

async function bringIntoView(tab: BrowserTab, place: ElementLocation): Promise<void> {
  try {
    await tab.target(place.frameId).send('DOM.scrollIntoViewIfNeeded', { backendNodeId: place.backendNodeId })
  } catch (error) {
    if (errorCode(error) !== 'BROWSER_PROTOCOL') throw error
    throw createHiddenError(place)
  }
}

/** The same point as the outermost frame counts. */
async function outward(tab: BrowserTab, place: ElementLocation, point: Point): Promise<Point> {
  let { x, y } = point
  let frameId = place.frameId
  for (let parent = tab.parentOf(frameId); parent !== undefined; parent = tab.parentOf(frameId)) {
    const { backendNodeId } = await tab.target(parent).send<{ backendNodeId: number }>('DOM.getFrameOwner', { frameId })
    const owner = await elementAt(tab, parent, { ...place, backendNodeId })
    const moved = await owner.call<Point & { cover?: string }>(LOOK_THROUGH, x, y)
    if (moved.cover !== undefined) throw createCoveredError(place, moved.cover)
    x = moved.x
    y = moved.y
    frameId = parent
  }
  return { x, y }
}

function createHiddenError({ label }: ElementLocation): SvcError {
  return new SvcError('BROWSER_HIDDEN', `${label} is not visible. Open what holds it, or take a new browser_snapshot.`)
}

function createCoveredError({ label }: ElementLocation, cover: string): SvcError {
  return new SvcError('BROWSER_COVERED', `${label} is covered by ${cover}. Close or scroll away what covers it.`)
}

const DESCRIBE = `const describe = (cover) => {
    const id = cover.id ? '#' + cover.id : ''
    const text = (cover.innerText || '').trim().replace(/\\s+/g, ' ').slice(0, 60)
    return '<' + cover.localName + id + '>' + (text ? ' "' + text + '"' : '')
  }`

/** Runs in the page. A text node stands for its element; a label is as good as its field. */
const LOOK = `function () {
  ${DESCRIBE}
  const element = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement
  const box = [...element.getClientRects()].find((each) => each.width > 0 && each.height > 0)
  if (!box || getComputedStyle(element).visibility !== 'visible') return { problem: 'hidden' }
  if (element.matches(':disabled') || element.closest('[aria-disabled=true]')) return { problem: 'disabled' }
  const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth)
  const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight)
  if (left >= right || top >= bottom) return { problem: 'hidden' }
  const x = (left + right) / 2, y = (top + bottom) / 2
  const spot = { x, y, width: right - left, height: bottom - top }
  const hit = element.getRootNode().elementFromPoint(x, y)
  for (let each = hit; each; each = each.assignedSlot || each.parentNode || each.host)
    if (each === element) return spot
  const label = hit && hit.closest('label')
  if (label && (label.control === element || label.contains(element))) return spot
  if (hit && hit.contains(element) && getComputedStyle(element).pointerEvents === 'none') return spot
  return { ...spot, cover: hit ? describe(hit) : 'something outside of the page' }
}`

/** Runs in the page that holds a frame, on the frame's element. */
const LOOK_THROUGH = `function (innerX, innerY) {
  ${DESCRIBE}
  const box = this.getBoundingClientRect(), style = getComputedStyle(this)
  const x = box.left + this.clientLeft + parseFloat(style.paddingLeft) + innerX
  const y = box.top + this.clientTop + parseFloat(style.paddingTop) + innerY
  const hit = this.getRootNode().elementFromPoint(x, y)
  return hit === this || !hit ? { x, y } : { x, y, cover: describe(hit) }
}`
