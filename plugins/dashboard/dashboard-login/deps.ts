/** What the routes, the service and the commands of this plugin share. */
import type { PluginContext } from 'svc/sdk'
import type { Accounts } from './accounts.ts'
import type { Attempts } from './attempts.ts'
import type { Audit } from './audit.ts'
import type { Config } from './config.ts'
import type { Logins } from './logins.ts'
import type { OidcLogin } from './oidc.ts'
import type { Visits } from './visits.ts'

export interface LoginDeps {
  readonly ctx: PluginContext<Config>
  readonly accounts: Accounts
  readonly attempts: Attempts
  readonly audit: Audit
  readonly logins: Logins
  readonly visits: Visits
  /** Undefined where no provider is configured. */
  readonly oidc: OidcLogin | undefined
}
