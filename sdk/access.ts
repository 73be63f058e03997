/** Who may do what: the one function that every message, command, button and event passes. Plugin `access`. */

import type { CommandContext } from './commands.ts'
import { defineService, type NotifyHook, notifyHook, type Service } from './declarations.ts'
import type { MessageOrigin } from './platforms.ts'
import type { PluginContext } from './plugin.ts'

/** The requested action. Pressing a button counts as the command of the same meaning. @since 0.1 */
export type AccessAction = { readonly kind: 'message' } | { readonly kind: 'command'; readonly name: string }

/** `event`: a machine that was let in by its own proof; it reaches no command. @since 0.1 */
export type AccessRole = 'admin' | 'user' | 'event' | 'stranger'

/** The answer. @since 0.2 */
export interface AccessDecision {
  readonly allow: boolean
  readonly role: AccessRole
  /** The rule that decided, for people: `TELEGRAM_ALLOWED_USERS names 42`. */
  readonly rule: string
  /** The reply to an unknown user; left out: no reply. */
  readonly reply?: 'pair' | 'no-command'
}

/** A person who was paired by a code. @since 0.2 */
export interface PairedUser {
  readonly platform: string
  readonly userId: string
  readonly userName?: string
  readonly at: number
}

/** A person who requested pairing. @since 0.1 */
export interface PairingRequest extends PairedUser {
  readonly expiresAt: number
}

/**
 * A stranger wrote and was given a pairing code: the owner has to decide. The code is not told; `svc pairing list` and
 * `Access.requests` have what is open. Called by the process that runs the gateway, after the request is stored.
 * @since 0.2
 */
export const PairingRequested: NotifyHook<PairingRequest> = notifyHook('pairing:requested')

/** Provided by the plugin `access`. @since 0.1 */
export interface Access {
  /** Fails closed: what cannot be decided is denied. Never throws. */
  judge(sender: MessageOrigin, action: AccessAction): AccessDecision
  /** A code for a stranger, to be typed by the owner; undefined when this one or the platform had enough of them. */
  requestPairing(
    sender: MessageOrigin,
    userName?: string,
  ): { readonly code: string; readonly expiresAt: number } | undefined
  /** Lets in who has this code. Throws `PAIRING_CODE` or `PAIRING_LOCKED`. */
  approve(platform: string, code: string): PairedUser
  /** False if the person was not paired. */
  revoke(platform: string, userId: string): boolean
  pairings(): readonly PairedUser[]
  requests(): readonly PairingRequest[]
  /** Withdraws the codes that wait; how many. */
  clearRequests(platform?: string): number
  /** What of the configuration lets everybody in without saying so: then nothing is connected. */
  openDoors(): readonly string[]
}
export const Access: Service<Access> = defineService('access')

/**
 * Whether who typed a command may operate this installation: restart it, update it, reload its plugins. A terminal belongs to the
 * owner; in a chat it must be a person whom `allow_admin_from` (in groups `group_allow_admin_from`) of the platform names. Without
 * the service `access`, or where it is not known who typed it, the answer is no. The plugin names `access` under `optional`.
 * @since 0.2
 */
export function isOperator(
  ctx: Pick<PluginContext<never>, 'find'>,
  { by, surface }: Pick<CommandContext, 'by' | 'surface'>,
): boolean {
  if (!by) return surface === 'cli'
  return ctx.find(Access)?.judge(by, { kind: 'message' }).role === 'admin'
}
