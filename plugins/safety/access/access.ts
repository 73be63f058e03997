/** The service: judges by the rules of the moment, and lets people in by codes. */
import { type Clock, errorMessage, type Logger, type Random, SvcError } from 'svc/sdk'
import { safeName } from 'svc/sdk/kit/terminal'
import type { MessageOrigin } from 'svc/sdk/platform'
import type { Access, AccessAction, AccessDecision, PairedUser, PairingRequest } from 'svc/sdk/safety'
import { hashCode, newCode } from './pairing-code.ts'
import { judge, type Rules } from './rules.ts'
import { CODE_LIFE_MS, type PairingStore } from './store.ts'

export interface AccessDeps {
  readonly store: PairingStore
  readonly clock: () => Clock
  readonly random: () => Random
  readonly log: Logger
  /** Undefined if the platform does not exist. */
  rules(platform: string): Rules | undefined
  openDoors(): readonly string[]
  /** A request is stored. */
  announce(request: PairingRequest): void
}

/** Names are strangers' words: characters that steer a terminal and endless ones are not kept. */

/** Contract: `Access` of the SDK. */
export class AccessService implements Access {
  readonly #deps: AccessDeps

  constructor(deps: AccessDeps) {
    this.#deps = deps
  }

  judge(sender: MessageOrigin, action: AccessAction): AccessDecision {
    try {
      const rules = this.#deps.rules(sender.platform)
      if (rules) return judge(sender, action, rules)
      return { allow: false, role: 'stranger', rule: `there is no platform ${sender.platform}` }
    } catch (error) {
      const reason = errorMessage(error)
      this.#deps.log.error('who may write could not be decided, so it was denied', { error: reason })
      return { allow: false, role: 'stranger', rule: `it could not be decided: ${reason}` }
    }
  }

  requestPairing(
    sender: MessageOrigin,
    userName?: string,
  ): { readonly code: string; readonly expiresAt: number } | undefined {
    if (this.judge(sender, { kind: 'message' }).reply !== 'pair') return undefined
    const { store, clock, random } = this.#deps
    const code = newCode(random())
    const now = clock().now()
    const name = userName === undefined ? '' : safeName(userName)
    const person = { platform: sender.platform, userId: sender.userId, ...(name !== '' && { userName: name }) }
    if (!store.ask(person, hashCode(code, random()), now)) return undefined
    const expiresAt = now + CODE_LIFE_MS
    this.#deps.announce({ ...person, at: now, expiresAt })
    return { code, expiresAt }
  }

  approve(platform: string, code: string): PairedUser {
    const attempt = this.#deps.store.attempt(platform, code, this.#deps.clock().now())
    if (attempt.is === 'right') return attempt.pairing
    if (attempt.is === 'locked') {
      const until = new Date(attempt.until).toISOString().slice(0, 16).replace('T', ' ')
      const message = `Too many wrong codes were typed for ${platform}. Codes are taken again from ${until} UTC on.`
      throw new SvcError('PAIRING_LOCKED', message, { status: 429 })
    }
    const left = attempt.left === 1 ? 'One more try is' : `${attempt.left} more tries are`
    const message = `No open request of ${platform} has this code. ${left} left; \`svc pairing list\` shows the requests.`
    throw new SvcError('PAIRING_CODE', message, { status: 400 })
  }

  revoke(platform: string, userId: string): boolean {
    return this.#deps.store.revoke(platform, userId)
  }

  pairings(): readonly PairedUser[] {
    return this.#deps.store.pairings()
  }

  requests(): readonly PairingRequest[] {
    return this.#deps.store.requests(this.#deps.clock().now())
  }

  clearRequests(platform?: string): number {
    return this.#deps.store.clear(platform, this.#deps.clock().now())
  }

  openDoors(): readonly string[] {
    return this.#deps.openDoors()
  }
}
