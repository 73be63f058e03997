/** Before a script that cannot be locked up runs, it passes the gate of the shell command that would do the same. */
import { type CommandRisks, shellQuote, type ToolRequest, type ToolVerdict } from 'svc/sdk'
import type { Script } from './tools.ts'

/** What the gate needs of the plugin. */
export interface GatePorts {
  readonly isLockedUp: () => Promise<boolean>
  /** Somebody holds the gate: without approvals nothing would. */
  readonly canAsk: () => boolean
  readonly risks: () => CommandRisks | undefined
  /** All gates of tool calls. */
  readonly ask: (request: ToolRequest) => Promise<ToolVerdict | undefined>
}

/** A script says that it reaches beyond itself, so a person is asked however harmless the rest of it looks. */
const REACH = 'not locked up; reaches svc through a socket'
const MOST_WAITING = 100
const INSTALL = 'Install bubblewrap, so that scripts can be locked up and need no question'

/** Listens to `ToolCalling`. What it let through runs once. */
export class Gate {
  readonly #ports: GatePorts
  readonly #allowed: Set<string> = new Set()

  constructor(ports: GatePorts) {
    this.#ports = ports
  }

  /** The verdict on a script that would run freely; undefined for everything else and when it may. */
  async decide(request: ToolRequest): Promise<ToolVerdict | undefined> {
    const isAsked = typeof request.input === 'object' && request.input !== null && 'command' in request.input
    if (request.name !== 'execute_code' || isAsked || (await this.#ports.isLockedUp())) return undefined
    const reason = await this.#refusal(request)
    if (reason !== undefined) return { allow: false, reason }
    this.#allowed.add(request.turn.key)
    for (const oldest of this.#allowed) {
      if (this.#allowed.size <= MOST_WAITING) break
      this.#allowed.delete(oldest)
    }
    return undefined
  }

  /** Whether this call was let through to run freely; true once. */
  take(key: string): boolean {
    return this.#allowed.delete(key)
  }

  async #refusal(request: ToolRequest): Promise<string | undefined> {
    const { canAsk, risks, ask } = this.#ports
    const judge = risks()
    if (!canAsk() || !judge) return `the script cannot be locked up and nobody could be asked. ${INSTALL}`
    const script = request.input as Script
    if (script.code.includes('\0')) return 'the script holds a NUL character'
    const command = commandOf(script)
    const { dangers, never } = await judge.command(command, { cwd: request.turn.cwd })
    if (dangers.length === 0 && never === undefined)
      return `the script cannot be locked up and the approvals do not ask about it. ${INSTALL}`
    const verdict = await ask({ ...request, input: { command } })
    return verdict?.allow === false ? `${verdict.reason ?? 'denied'}. ${INSTALL}` : undefined
  }
}

/** What a shell would be given to run the script. */
export function commandOf({ code, language }: Script): string {
  return language === 'python'
    ? `python3 -c ${shellQuote(`# ${REACH}\n${code}`)}`
    : `node --input-type=module -e ${shellQuote(`/* ${REACH} */\n${code}`)}`
}
