/** Detects a turn that loops: the same call failing, or the same read repeated. */
import type { ToolCall, ToolResult } from 'svc/sdk'

/** How many repetitions before the model is warned, and before the turn is ended. */
const limits = {
  sameFailure: { warn: 2, stop: 5 },
  toolFailure: { warn: 3, stop: 8 },
  sameResult: { warn: 3, stop: 6 },
} as const

type Circle = keyof typeof limits

const advice: Record<Circle, string> = {
  sameFailure: 'This very call has failed before. Do not repeat it; change the arguments or the approach.',
  toolFailure: 'This tool keeps failing. Stop and think about another way, or tell the user what stands in it.',
  sameResult: 'This call gave the same result before. Nothing has changed; continue with what you know.',
}

/** One per turn. */
export class LoopGuard {
  #counts: Map<string, number> = new Map()
  #results: Map<string, string> = new Map()
  #verdict: string | undefined

  /** The result as the model should read it: with a word of advice when it has been here before. */
  note(call: ToolCall, result: ToolResult, kind: 'pure' | 'other'): ToolResult {
    const key = `${call.name} ${JSON.stringify(call.input)}`
    const circle = result.failed
      ? this.#failed(call.name, key)
      : this.#succeeded(call.name, key, kind === 'pure' ? result.text : undefined)
    return circle ? { ...result, text: `${result.text}\n[${advice[circle]}]` } : result
  }

  /** Why the turn should end now, or undefined. */
  get verdict(): string | undefined {
    return this.#verdict
  }

  #failed(tool: string, key: string): Circle | undefined {
    const same = this.#reached('sameFailure', `fail ${key}`)
    const any = this.#reached('toolFailure', `tool ${tool}`)
    return same ?? any
  }

  /** Only a call without effect counts as a repetition: polling a build is not a loop. */
  #succeeded(tool: string, key: string, text: string | undefined): Circle | undefined {
    this.#counts.delete(`tool ${tool}`)
    this.#counts.delete(`fail ${key}`)
    if (text === undefined) return undefined
    if (this.#results.get(key) !== text) {
      this.#results.set(key, text)
      this.#counts.set(`same ${key}`, 1)
      return undefined
    }
    return this.#reached('sameResult', `same ${key}`)
  }

  #reached(circle: Circle, key: string): Circle | undefined {
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, count)
    if (count >= limits[circle].stop)
      this.#verdict ??= `The turn went in circles: ${key.replace(/^\w+ /, '').slice(0, 120)}`
    return count >= limits[circle].warn ? circle : undefined
  }
}
