/** The window onto the transcript: only what is seen is laid out, however long the whole is. */
import type { StyledLine } from 'svc/sdk/terminal'
import { Feed, foldable, type Laid, layBlock } from './blocks.ts'
import type { RenderContext } from './render-context.ts'
import type { Block } from './state.ts'

/** What is seen of it. */
export interface WindowView {
  readonly lines: readonly StyledLine[]
  /** The id of the block that each line belongs to. */
  readonly owners: readonly (number | undefined)[]
  /** Lines below the window that came since the user scrolled away; at most `MAX_NEW`. */
  readonly fresh: number
  /** The end is not seen. */
  readonly away: boolean
}

/** Where a line is. */
interface LinePosition {
  readonly index: number
  readonly line: number
}

/** A place that the user scrolled to, with the height of its block then: the width may be another one later. */
interface Anchor {
  readonly id: number
  readonly line: number
  readonly height: number
  readonly width: number
}

interface CachedBlock {
  readonly block: Block
  readonly key: string
  readonly laid: Laid
}

/** More new lines are not counted. */
const MAX_NEW = 999
const KEPT_BLOCKS = 300

export class Window {
  readonly #feed = new Feed()
  readonly #kept = new Map<number, CachedBlock>()
  readonly #heights = new Map<number, { readonly block: Block; readonly key: string; readonly height: number }>()
  readonly #flipped = new Set<number>()
  #blocks: readonly Block[] = []
  #look: RenderContext
  #width = 1
  #rows = 1
  #epoch = 0
  #anchor: Anchor | undefined
  #seen: { readonly id: number; readonly height: number } | undefined
  #selected: number | undefined

  constructor(look: RenderContext) {
    this.#look = look
  }

  /** Looks different from now on: another skin, language or setting. */
  restyle(look: RenderContext): void {
    this.#look = look
    this.#epoch++
  }

  /** Other blocks than before, from their beginning. */
  reset(): void {
    this.#kept.clear()
    this.#heights.clear()
    this.#flipped.clear()
    this.#selected = undefined
    this.follow()
  }

  get following(): boolean {
    return this.#anchor === undefined
  }

  get selected(): Block | undefined {
    return this.#selected === undefined ? undefined : this.#blocks[this.#findIndex(this.#selected)]
  }

  /** Shows the end, and stays there. */
  follow(): void {
    this.#anchor = undefined
    this.#seen = undefined
  }

  /** As many lines as there is room for, at most. */
  view(blocks: readonly Block[], width: number, rows: number): WindowView {
    this.#blocks = blocks
    this.#width = Math.max(1, width)
    this.#rows = rows
    const top = this.#top()
    const lines: StyledLine[] = []
    const owners: (number | undefined)[] = []
    for (let { index, line } = top; index < blocks.length && lines.length < rows; index++, line = 0) {
      const block = blocks[index]
      if (!block) break
      const laid = this.#lay(index)
      for (; line < getHeight(laid) && lines.length < rows; line++) {
        lines.push(this.#line(block, laid, line))
        owners.push(block.id)
      }
    }
    const away = this.#anchor !== undefined && !this.#reachesEnd(top)
    const fresh = away ? this.#fresh() : 0
    this.#forget()
    return { lines, owners, fresh, away }
  }

  /** Up with a negative count. Stays in view; at the end it follows again. */
  scroll(count: number): void {
    const top = this.#top()
    const moved = this.#move(top, count)
    if (count > 0 && this.#reachesEnd(moved)) this.follow()
    else this.#hold(moved)
  }

  top(): void {
    this.#hold({ index: 0, line: 0 })
  }

  get rows(): number {
    return this.#rows
  }

  /** Folds or unfolds a block; by default the newest call of a tool. */
  toggle(id: number | undefined = this.#blocks.findLast(({ kind }) => kind === 'tool')?.id): void {
    if (id === undefined) return
    if (!this.#flipped.delete(id)) this.#flipped.add(id)
  }

  /** Selects the next block up or down that can be folded or copied, and shows it. Past the end nothing is selected. */
  select(step: 1 | -1): void {
    const from = this.#selected === undefined ? this.#blocks.length : this.#findIndex(this.#selected)
    let index = from + step
    while (this.#blocks[index] && !this.#selectable(index)) index += step
    const block = this.#blocks[index]
    if (!block) {
      if (step > 0) this.unselect()
      return
    }
    this.#selected = block.id
    if (!this.#isSeen(index)) this.#hold({ index, line: 0 })
  }

  /** Shows a block from its first line, and selects it. */
  show(id: number): void {
    this.#selected = id
    const index = this.#findIndex(id)
    this.#hold({ index, line: this.#lay(index).gap })
  }

  unselect(): void {
    this.#selected = undefined
    this.follow()
  }

  /** Contract: `Transcript.find` of the SDK. `joinText` is the text that is searched in. */
  find(
    words: string,
    step: -1 | 0 | 1,
    textOf: (block: Block) => string,
  ): { readonly count: number; readonly at: number } {
    const wanted = words.toLowerCase()
    const found = this.#blocks.filter((block) => wanted !== '' && textOf(block).toLowerCase().includes(wanted))
    const { length: count } = found
    if (count === 0) return { count: 0, at: 0 }
    const now = found.findIndex(({ id }) => id === this.#selected)
    // From what is selected, else from the end.
    const at = now < 0 ? count - 1 : (now + step + count) % count
    const block = found[at] as Block
    this.#selected = block.id
    this.#hold({ index: this.#findIndex(block.id), line: this.#lineWith(this.#findIndex(block.id), wanted) })
    return { count, at: at + 1 }
  }

  /** The first line of a block that has the words; its beginning when they are folded away or broken over two lines. */
  #lineWith(index: number, wanted: string): number {
    const { lines, gap } = this.#lay(index)
    const at = lines.findIndex((line) =>
      line
        .map(({ text }) => text)
        .join('')
        .toLowerCase()
        .includes(wanted),
    )
    return Math.max(0, at) + gap
  }

  #selectable(index: number): boolean {
    const block = this.#blocks[index]
    if (!block || !(foldable(block) || block.kind === 'answer' || block.kind === 'said')) return false
    return getHeight(this.#lay(index)) > 0
  }

  #isSeen(index: number): boolean {
    let { index: at, line } = this.#top()
    if (index < at || (index === at && line > 0)) return false
    for (let left = this.#rows; at < index; at++, line = 0) {
      left -= this.#height(at) - line
      if (left <= 1) return false
    }
    return true
  }

  #findIndex(id: number): number {
    return Math.max(0, id - (this.#blocks[0]?.id ?? 0))
  }

  /** The first line that is seen. Never so far down that lines stay empty. */
  #top(): LinePosition {
    const last = this.#move({ index: this.#blocks.length, line: 0 }, -this.#rows)
    if (!this.#anchor) return last
    const index = Math.min(this.#findIndex(this.#anchor.id), Math.max(0, this.#blocks.length - 1))
    const height = this.#height(index)
    const { line, height: then, width } = this.#anchor
    const scaled = width === this.#width ? line : Math.floor((line * height) / Math.max(1, then))
    const place = { index, line: Math.max(0, Math.min(scaled, height - 1)) }
    return isBefore(last, place) ? last : place
  }

  /** Walks over lines, as far as there are any. */
  #move(from: LinePosition, count: number): LinePosition {
    let { index, line } = from
    let left = Math.abs(count)
    while (count < 0 && left > 0) {
      if (line >= left) return { index, line: line - left }
      left -= line
      if (index === 0) return { index: 0, line: 0 }
      index--
      line = this.#height(index)
    }
    while (count > 0 && left > 0 && index < this.#blocks.length) {
      const height = this.#height(index)
      if (line + left < height) return { index, line: line + left }
      left -= height - line
      index++
      line = 0
    }
    return { index, line }
  }

  #reachesEnd(top: LinePosition): boolean {
    let left = this.#rows + top.line
    for (let { index } = top; index < this.#blocks.length; index++) {
      left -= this.#height(index)
      if (left < 0) return false
    }
    return true
  }

  #hold({ index, line }: LinePosition): void {
    const last = this.#blocks.at(-1)
    const block = this.#blocks[Math.min(index, this.#blocks.length - 1)]
    if (!block || !last) return
    if (!this.#anchor) this.#seen = { id: last.id, height: this.#height(this.#blocks.length - 1) }
    this.#anchor = { id: block.id, line, height: this.#height(this.#findIndex(block.id)), width: this.#width }
  }

  #fresh(): number {
    if (!this.#anchor || !this.#seen) return 0
    let count = -this.#seen.height
    for (let index = this.#findIndex(this.#seen.id); index < this.#blocks.length && count < MAX_NEW; index++)
      count += this.#height(index)
    return Math.min(MAX_NEW, Math.max(0, count))
  }

  #line(block: Block, laid: Laid, at: number): StyledLine {
    const line = laid.lines[at - laid.gap]
    if (!line) return []
    const prefix = at === laid.gap ? laid.first : laid.rest
    const whole = prefix.length === 0 ? line : [...prefix, ...line]
    return block.id === this.#selected && at === laid.gap ? whole.map((span) => ({ ...span, role: 'selected' })) : whole
  }

  #key(block: Block): string {
    const isRunning = block.kind === 'tool' && block.call.state === 'running'
    const tick = isRunning ? Math.floor(this.#look.now() / 1000) : 0
    return `${this.#width} ${this.#epoch} ${this.#flipped.has(block.id)} ${tick}`
  }

  #height(index: number): number {
    const block = this.#blocks[index]
    if (!block) return 0
    const known = this.#heights.get(block.id)
    if (known?.block === block && known.key === this.#key(block)) return known.height
    return getHeight(this.#lay(index))
  }

  #lay(index: number): Laid {
    const block = this.#blocks[index] as Block
    const key = this.#key(block)
    const known = this.#kept.get(block.id)
    this.#kept.delete(block.id)
    const isSame = known?.block === block && known.key === key
    const laid = isSame ? known.laid : layBlock(block, this.#look, this.#wanted(index, block))
    this.#kept.set(block.id, isSame ? known : { block, key, laid })
    this.#heights.set(block.id, { block, key, height: getHeight(laid) })
    return laid
  }

  #wanted(index: number, block: Block) {
    const before = index > 0 ? this.#blocks[index - 1] : undefined
    return { width: this.#width, flipped: this.#flipped.has(block.id), before, feed: this.#feed }
  }

  /** What was seen longest ago is laid out again when it is seen again. */
  #forget(): void {
    const most = Math.max(KEPT_BLOCKS, this.#rows * 2)
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= most) return
      this.#kept.delete(id)
    }
  }
}

const getHeight = ({ lines, gap }: Laid) => lines.length + gap
const isBefore = (one: LinePosition, two: LinePosition) =>
  one.index < two.index || (one.index === two.index && one.line < two.line)
