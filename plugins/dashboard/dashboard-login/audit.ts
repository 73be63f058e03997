/** The audit log: each login, refusal and logout as a line of JSON in `logs/dashboard-auth.log`. No secret is in it. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const MAX_BYTES = 2 * 2 ** 20
const MAX_TEXT = 200

export type AuditEvent =
  | 'login_start'
  | 'login_success'
  | 'login_failure'
  | 'login_locked'
  | 'logout'
  | 'logins_ended'
  | 'cookie_reuse'
  | 'token_auth_success'
  | 'token_auth_failure'
  | 'password_set'
  | 'person_removed'

export interface AuditFields {
  /** As it was given: of a failure it may be any text. */
  readonly user?: string | undefined
  readonly provider?: string | undefined
  readonly address?: string | undefined
  /** Of the failure. */
  readonly code?: string | undefined
  readonly detail?: string | undefined
  /** Which secret of a route, and which route. */
  readonly secret?: string | undefined
  readonly route?: string | undefined
  /** Which login, as `svc dashboard logins` names it. */
  readonly login?: string | undefined
}

export type Audit = (event: AuditEvent, fields: AuditFields) => void

interface AuditDeps {
  readonly path: string
  readonly now: () => number
  readonly mask: (text: string) => string
}

/** Strangers cause most lines, so they are short, and of two files at most. */
export function createAudit({ path, now, mask }: AuditDeps): Audit {
  return (event, fields) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.1`)
    const isTrouble = /_failure$|_locked$|_reuse$/.test(event)
    const shown = Object.entries(fields).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, mask(text).slice(0, MAX_TEXT)]],
    )
    const entry = { time: new Date(now()).toISOString(), level: isTrouble ? 'warn' : 'info', plugin: 'dashboard-login' }
    const line = JSON.stringify({ ...entry, message: event, ...Object.fromEntries(shown) })
    appendFileSync(path, `${line}\n`, { mode: 0o600 })
  }
}
