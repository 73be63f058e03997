/** Looks the package of a server up among malicious ones before it is run; what cannot be looked up runs. */
import { type Clock, type Logger, SvcError } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import type { AuditComponent, SecurityAudit } from 'svc/sdk/safety'
import type { PluginState } from 'svc/sdk/storage'
import { z } from 'zod'
import { findPinnedPackage } from './audit.ts'
import type { Server } from './server.ts'

const LIMIT_MS = 12_000
/** An advisory may be published after the first start. */
const AGAIN_MS = 24 * 3_600_000
/** While the database does not answer, starts do not wait for it each time. */
const PAUSE_MS = 600_000
const MAX_KEPT = 200

/** When each package was looked up last and found good, in milliseconds since 1970. */
export const vetted = z.record(z.string(), z.number())

export interface VettingDeps {
  readonly state: PluginState<Readonly<Record<string, number>>>
  readonly log: Logger
  clock(): Clock
  /** Undefined where it is switched off. */
  audit(): Promise<SecurityAudit | undefined>
}

export class Vetting {
  readonly #deps: VettingDeps
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor(deps: VettingDeps) {
    this.#deps = deps
  }

  /** Throws `MCP_REFUSED` for a malicious package, and the reason of the signal. */
  async check({ name, settings }: Server, signal: AbortSignal): Promise<void> {
    const found = settings.skip_preflight ? undefined : findPinnedPackage(name, settings)
    if (!found) return
    const { clock, state } = this.#deps
    const id = `${found.ecosystem}:${found.name}@${found.version}`
    const now = clock().now()
    const known = state.get()[id]
    if ((known !== undefined && now - known < AGAIN_MS && now >= known) || now < this.#pausedUntil) return
    const [malware] = (await this.#lookUp(found, signal)) ?? []
    if (malware)
      throw new SvcError(
        'MCP_REFUSED',
        `The MCP server ${name} is not started: its package ${found.name}@${found.version} is known as malicious (${malware.advisory}: ${malware.summary}). Remove it: svc mcp remove ${name}`,
      )
    if (now < this.#pausedUntil) return
    await state.update((all) =>
      Object.fromEntries([...Object.entries(all).filter(([key]) => key !== id), [id, now]].slice(-MAX_KEPT)),
    )
  }

  async #lookUp(found: AuditComponent, signal: AbortSignal) {
    const { clock, log, audit } = this.#deps
    try {
      const service = await audit()
      if (!service) throw new SvcError('MCP_REFUSED', 'The plugin security-audit is switched off.')
      return await withDeadline(
        clock(),
        LIMIT_MS,
        (limit) => service.findMalware([found], { signal: limit }),
        () => new SvcError('MCP_REFUSED', 'The database of advisories did not answer in time.'),
        { signal },
      )
    } catch (error) {
      signal.throwIfAborted()
      this.#pausedUntil = clock().now() + PAUSE_MS
      log.warn(`the package ${found.name} was not looked up among malicious ones, and is started all the same`, {
        error,
      })
      return undefined
    }
  }
}
