/** What a chat is shown besides the answers of a turn, as `display.platforms` says: tools, thoughts, and what it cost. */
import { type DisplaySettings, dollars, type OutboxPost, shortCount, type TurnEvent } from 'svc/sdk'

/** The settings that chats read. */
export type ProgressSettings = Pick<DisplaySettings, 'tool_progress' | 'show_reasoning' | 'show_cost'>

/** What it needs. */
export interface ProgressPorts {
  /** Undefined where nothing is shown. */
  settings(): ProgressSettings | undefined
  /** Whether a message can be edited: otherwise each tool would be a separate message, so no tools are shown. */
  canEdit(): boolean
  post(message: Pick<OutboxPost, 'key' | 'text' | 'isDraft'>): void
}

const MAX_LINES = 10
const MAX_THOUGHT = 2000
const MAX_INPUT = 80
/** Tools that are listed in one message. */
const MAX_TOOLS = 40

interface ShownTool {
  readonly callId: string
  readonly name: string
  line: string
}

export class TurnProgress {
  readonly #ports: ProgressPorts
  #turnId = ''
  #messages = 0
  #tools: ShownTool[] = []
  #thought = ''
  #thoughts = 0

  constructor(ports: ProgressPorts) {
    this.#ports = ports
  }

  /** The tool that began last. */
  get tool(): string | undefined {
    return this.#tools.at(-1)?.name
  }

  begin(turnId: string): void {
    this.#turnId = turnId
    this.#messages = 0
    this.#tools = []
    this.#thought = ''
    this.#thoughts = 0
  }

  /** Called for each event before what it says is shown. */
  show(event: TurnEvent): void {
    if (event.type === 'reasoning.delta') this.#thought = `${this.#thought}${event.text}`.slice(-MAX_THOUGHT * 2)
    else if (event.type === 'message.delta' || event.type === 'message.complete') this.#think()
    else if (event.type === 'tool.start' && event.parent === undefined) this.#begins(event)
    else if (event.type === 'tool.complete') this.#ends(event)
    if (event.type === 'message.complete') this.#messages++
    if (event.type === 'turn.end') this.#cost(event.usage)
  }

  #begins({ callId, name, input }: Extract<TurnEvent, { type: 'tool.start' }>): void {
    this.#think()
    const mode = this.#ports.settings()?.tool_progress ?? 'off'
    const isRepeated = this.tool === name
    const detail = mode === 'verbose' ? ` ${oneLine(JSON.stringify(input) ?? '', MAX_INPUT)}` : ''
    this.#tools = [...this.#tools, { callId, name, line: `⚙️ ${name}${detail}` }].slice(-MAX_TOOLS)
    if (mode !== 'off' && !(mode === 'new' && isRepeated)) this.#list()
  }

  /** With their results only where all is shown. */
  #ends({ callId, ok, text }: Extract<TurnEvent, { type: 'tool.complete' }>): void {
    if (this.#ports.settings()?.tool_progress !== 'verbose') return
    const tool = this.#tools.find((each) => each.callId === callId)
    if (!tool) return
    tool.line += ` ${ok ? '✓' : '✗'} ${oneLine(text, MAX_INPUT)}`
    this.#list()
  }

  #list(): void {
    if (!this.#ports.canEdit()) return
    const mode = this.#ports.settings()?.tool_progress
    const shown =
      mode === 'new' ? this.#tools.filter(({ name }, at) => this.#tools[at - 1]?.name !== name) : this.#tools
    const text = shown.map(({ line }) => line).join('\n')
    this.#ports.post({ key: `tools:${this.#turnId}:${this.#messages}`, text, isDraft: true })
  }

  /** The end of what was thought, as a quotation: it is no answer. */
  #think(): void {
    const thought = this.#thought.trim()
    this.#thought = ''
    if (!thought || !this.#ports.settings()?.show_reasoning) return
    const lines = thought
      .slice(-MAX_THOUGHT)
      .split('\n')
      .filter((line) => line.trim())
    const cut = lines.length > MAX_LINES || thought.length > MAX_THOUGHT ? ['…'] : []
    const text = ['💭', ...cut, ...lines.slice(-MAX_LINES)].map((line) => `> ${line}`).join('\n')
    this.#ports.post({ key: `thought:${this.#turnId}:${this.#thoughts++}`, text })
  }

  #cost({ input = 0, output = 0, costUsd }: Extract<TurnEvent, { type: 'turn.end' }>['usage']): void {
    if (!this.#ports.settings()?.show_cost || input + output === 0) return
    const money = costUsd === undefined ? '' : `${dollars(costUsd)} · `
    const text = `${money}↑ ${shortCount(input)} ↓ ${shortCount(output)}`
    this.#ports.post({ key: `cost:${this.#turnId}`, text })
  }
}

function oneLine(text: string, most: number): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat
}
