/** The tokens of the sdk: hooks, services and contribution points by their exported names. */

import type { ExtensionPoint, Hook, Service } from 'svc/sdk'
import * as sdk from 'svc/sdk'
import * as dashboard from 'svc/sdk/dashboard'
import * as life from 'svc/sdk/hooks'
import * as host from 'svc/sdk/host'
import * as jobs from 'svc/sdk/jobs'
import * as kanban from 'svc/sdk/kanban'
import * as mcp from 'svc/sdk/mcp'
import * as media from 'svc/sdk/media'
import * as operations from 'svc/sdk/operations'
import * as platform from 'svc/sdk/platform'
import * as provider from 'svc/sdk/provider'
import * as safety from 'svc/sdk/safety'
import * as sessions from 'svc/sdk/sessions'
import * as shell from 'svc/sdk/shell'
import * as signIn from 'svc/sdk/sign-in'
import * as skills from 'svc/sdk/skills'
import * as storage from 'svc/sdk/storage'
import * as store from 'svc/sdk/store'
import * as terminal from 'svc/sdk/terminal'
import * as web from 'svc/sdk/web'

/** A token under the name by which it is imported. */
export interface Named<Token> {
  readonly name: string
  readonly token: Token
}

type AnyHook = Hook<unknown, unknown, unknown, unknown>

function tokens(): Named<object>[] {
  return Object.entries({
    ...sdk,
    ...life,
    ...sessions,
    ...skills,
    ...storage,
    ...store,
    ...operations,
    ...platform,
    ...provider,
    ...terminal,
    ...shell,
    ...safety,
    ...web,
    ...media,
    ...mcp,
    ...host,
    ...jobs,
    ...kanban,
    ...dashboard,
    ...signIn,
  })
    .filter(([, value]) => typeof (value as { id?: unknown }).id === 'string')
    .map(([name, value]) => ({ name, token: value as object }))
}

export function hooks(): Named<AnyHook>[] {
  return tokens().filter(({ token }) => 'kind' in token) as Named<AnyHook>[]
}

export function points(): Named<ExtensionPoint<unknown>>[] {
  return tokens().filter(({ token }) => 'key' in token) as Named<ExtensionPoint<unknown>>[]
}

export function services(): Named<Service<unknown>>[] {
  return tokens().filter(({ token }) => !('kind' in token) && !('key' in token)) as Named<Service<unknown>>[]
}
