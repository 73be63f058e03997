/**
 * Access tokens for the login at both servers: XOAUTH2 (developers.google.com/workspace/gmail/imap/xoauth2-protocol) with tokens of a
 * refresh token (RFC 6749, section 6) or of a command of the owner.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Clock, errorMessage, type PluginContext, Secrets, tryParseJson } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { isEndedSignIn, postToken, readTokens } from 'svc/sdk/kit/oauth'
import { runChild } from 'svc/sdk/kit/process'
import { deliveryBusy, deliveryRefused } from 'svc/sdk/platform'
import type { Config } from './config.ts'

/** Gives the token of a login. */
export interface MailTokens {
  /**
   * `refused`: a token that a server did not accept; another is asked for. Rejects with `EMAIL_TOKEN`, which may be tried again, or
   * `EMAIL_UNAUTHORIZED`.
   */
  get(signal: AbortSignal, refused?: string): Promise<string>
}

/** A token that ends during the login is of no use. */
const SKEW_MS = 60_000
/** Commands do not say when their token ends; they are asked again after this time. */
const COMMAND_LIFETIME_MS = 5 * 60_000
const COMMAND_MS = 30_000
const MAX_TOKEN = 16_000

interface Token {
  readonly value: string
  readonly expiresAt: number
}

/** A refresh token, and a digest of the configured one in whose place it came. */
interface StoredToken {
  readonly of: string
  readonly refresh_token: string
}

/** What of a plugin's context it needs. */
export type OAuthDeps = Pick<PluginContext<unknown>, 'use'>

/** Whether tokens are configured, so that no password is needed. */
export function usesTokens(config: Pick<Config, 'oauth_command'>, secrets: Pick<Secrets, 'get'>): boolean {
  return config.oauth_command.length > 0 || secrets.get('EMAIL_OAUTH_REFRESH_TOKEN') !== undefined
}

/** What is missing for tokens, as a sentence. */
export function describeMissingTokens(
  { oauth_command: command, oauth_token_url: url }: Pick<Config, 'oauth_command' | 'oauth_token_url'>,
  secrets: Pick<Secrets, 'get'>,
): string | undefined {
  if (command.length > 0) return undefined
  if (!url) return 'No token endpoint is set: set platforms.email.oauth_token_url to that of the mail provider.'
  if (!/^https:\/\/|^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(url))
    return 'The refresh token would go out unencrypted: set platforms.email.oauth_token_url to an https address.'
  return secrets.get('EMAIL_OAUTH_CLIENT_ID') === undefined
    ? 'No OAuth client is set: set EMAIL_OAUTH_CLIENT_ID to the one that the refresh token was made for.'
    : undefined
}

/** One for the plugin: a token serves all connections until it ends. */
export class OAuthTokenSource implements MailTokens {
  readonly #config: Pick<Config, 'oauth_command' | 'oauth_token_url'>
  readonly #deps: OAuthDeps
  readonly #file: string
  #token: Token | undefined
  /** The old one is spent, also when the new one could not be written. */
  #replaced: StoredToken | undefined
  #asking: Promise<Token> | undefined

  /** `file` stores a refresh token by which the service replaced the configured one. */
  constructor(config: Pick<Config, 'oauth_command' | 'oauth_token_url'>, deps: OAuthDeps, file: string) {
    this.#config = config
    this.#deps = deps
    this.#file = file
  }

  async get(signal: AbortSignal, refused?: string): Promise<string> {
    const now = this.#deps.use(Clock).now()
    const token = this.#token
    if (token && token.value !== refused && now < token.expiresAt - SKEW_MS) return token.value
    // Both servers are asked at about the same time, and a refresh token may be good for one use only.
    this.#asking ??= this.#ask(signal).finally(() => {
      this.#asking = undefined
    })
    this.#token = await this.#asking
    return this.#token.value
  }

  #ask(signal: AbortSignal): Promise<Token> {
    return this.#config.oauth_command.length > 0 ? this.#run(signal) : this.#refresh(signal)
  }

  async #run(signal: AbortSignal): Promise<Token> {
    const [program = '', ...args] = this.#config.oauth_command
    const [clock, secrets] = [this.#deps.use(Clock), this.#deps.use(Secrets)]
    const run = { clock, secrets, signal }
    const end = await runChild(program, args, run, { cwd: process.cwd(), timeoutMs: COMMAND_MS }).catch(
      (cause: unknown) => {
        signal.throwIfAborted()
        throw failedCommand(program, errorMessage(cause), cause)
      },
    )
    if (end.code !== 0) throw failedCommand(program, end.err.trim().split('\n')[0] || `it ended with ${end.code}`)
    const value = end.out.trim()
    if (!/^[\x21-\x7e]+$/.test(value) || value.length > MAX_TOKEN)
      throw failedCommand(program, 'it did not print one token and nothing else')
    secrets.protect(value)
    return { value, expiresAt: clock.now() + COMMAND_LIFETIME_MS + SKEW_MS }
  }

  async #refresh(signal: AbortSignal): Promise<Token> {
    const secrets = this.#deps.use(Secrets)
    const configured = secrets.get('EMAIL_OAUTH_REFRESH_TOKEN') ?? ''
    const clientSecret = secrets.get('EMAIL_OAUTH_CLIENT_SECRET')
    const [label, url] = ['The mail provider', this.#config.oauth_token_url]
    const fields = {
      grant_type: 'refresh_token',
      refresh_token: this.#newest(configured),
      client_id: secrets.get('EMAIL_OAUTH_CLIENT_ID') ?? '',
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
    }
    try {
      const tokens = readTokens(
        await postToken({ url, label, fields, signal }, this.#deps),
        { label, lifetimeMs: COMMAND_LIFETIME_MS },
        this.#deps,
      )
      const next = tokens.refreshToken
      if (next !== undefined && next !== fields.refresh_token) await this.#keep(configured, next)
      return { value: tokens.accessToken, expiresAt: tokens.expiresAt ?? 0 }
    } catch (error) {
      signal.throwIfAborted()
      if (!isEndedSignIn(error)) throw deliveryBusy('EMAIL_TOKEN', errorMessage(error), { cause: error })
      const advice = 'Sign in there again, and set EMAIL_OAUTH_REFRESH_TOKEN to the new refresh token.'
      throw deliveryRefused('EMAIL_UNAUTHORIZED', `${errorMessage(error)} ${advice}`, error)
    }
  }

  /** The refresh token that the service gave last for the configured one. */
  #newest(configured: string): string {
    const stored = this.#replaced ?? readStored(this.#file)
    if (stored?.of !== digest(configured)) return configured
    this.#deps.use(Secrets).protect(stored.refresh_token)
    return stored.refresh_token
  }

  async #keep(configured: string, next: string): Promise<void> {
    this.#replaced = { of: digest(configured), refresh_token: next }
    const text = JSON.stringify(this.#replaced)
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    await writeAtomically(this.#file, `${text}\n`, { mode: 0o600 })
  }
}

function readStored(file: string): StoredToken | undefined {
  try {
    const value = tryParseJson(readFileSync(file, 'utf8'))?.value as
      | { of?: unknown; refresh_token?: unknown }
      | undefined
    if (typeof value?.of !== 'string' || typeof value.refresh_token !== 'string') return undefined
    return { of: value.of, refresh_token: value.refresh_token }
  } catch {
    return undefined
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

function failedCommand(program: string, reason: string, cause?: unknown): Error {
  const advice = 'Run it in a terminal, and mend platforms.email.oauth_command.'
  return deliveryBusy('EMAIL_TOKEN', `${program} gave no token for the mailbox: ${reason}. ${advice}`, { cause })
}
