/**
 * Signing in to a server: OAuth 2.1 with PKCE and dynamic registration, as the library of the protocol speaks it
 * (https://modelcontextprotocol.io/specification/2025-06-18/basic/authorization). The browser comes back to this machine.
 */
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/sdk/client/auth.js'
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type Clock, errorMessage, SvcError } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import { isSameSecret } from 'svc/sdk/kit/net'
import type { McpSignIn } from 'svc/sdk/mcp'
import type { ServerSettings } from './config.ts'
import { openHttpClient } from './http-client.ts'
import type { KeptTokens, TokenFiles } from './token-files.ts'

const MAX_BYTES = 1_048_576
const CALLBACK = '/callback'

export interface OAuthDeps {
  readonly name: string
  readonly url: string
  readonly settings: ServerSettings
  readonly tokens: TokenFiles
  readonly clock: Clock
  /** Random text of so many bytes. */
  hex(bytes: number): string
}

/** Uses and refreshes what a person signed in for; it asks no one. */
export class StoredAuth implements OAuthClientProvider {
  protected readonly deps: OAuthDeps
  readonly #redirect: string
  readonly #show: ((url: URL) => void) | undefined
  readonly #state: string
  #verifier: string | undefined

  constructor(deps: OAuthDeps, redirect = 'http://127.0.0.1/callback', show?: (url: URL) => void, state = '') {
    this.deps = deps
    this.#redirect = redirect
    this.#show = show
    this.#state = state
  }

  get redirectUrl(): string {
    return this.#redirect
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope, client_name, client_secret } = this.deps.settings.oauth
    return {
      client_name,
      redirect_uris: [this.#redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: client_secret === undefined ? 'none' : 'client_secret_post',
      ...(scope !== undefined && { scope }),
    }
  }

  state(): string {
    return this.#state
  }

  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { client_id, client_secret } = this.deps.settings.oauth
    if (client_id !== undefined) return { client_id, ...(client_secret !== undefined && { client_secret }) }
    const kept = (await this.#kept()).client as (OAuthClientInformationMixed & { redirect_uris?: string[] }) | undefined
    // A registration is for the address that the browser comes back to.
    const isUsable = this.#show === undefined || kept?.redirect_uris?.includes(this.#redirect) !== false
    return isUsable ? kept : undefined
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    await this.#keep({ client: client as unknown as Record<string, unknown> })
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    return (await this.#kept()).tokens as OAuthTokens | undefined
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    await this.#keep({ tokens: tokens as unknown as Record<string, unknown> })
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    if (this.#show) {
      this.#show(url)
      return
    }
    const scope = url.searchParams.get('scope')
    if (scope !== null && (await this.tokens())) await this.#keep({ scope })
    throw signInError(this.deps.name)
  }

  /** The scope that an earlier call wanted; asked for once. */
  async takeScope(): Promise<string | undefined> {
    const { scope, ...rest } = await this.#kept()
    if (scope !== undefined) await this.deps.tokens.write(this.deps.name, rest)
    return scope
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    if (this.#verifier === undefined) throw signInError(this.deps.name)
    return this.#verifier
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.#keep({ discovery: discovery as unknown as Record<string, unknown> })
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    return (await this.#kept()).discovery as unknown as OAuthDiscoveryState | undefined
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'verifier' || scope === 'all') this.#verifier = undefined
    if (scope === 'verifier') return
    const { url, tokens, client, discovery } = await this.#kept()
    const rest = { ...(tokens && { tokens }), ...(client && { client }), ...(discovery && { discovery }) }
    const names = scope === 'all' ? (['tokens', 'client', 'discovery'] as const) : [scope]
    for (const name of names) delete rest[name]
    await this.deps.tokens.write(this.deps.name, { url, ...rest })
  }

  async #kept(): Promise<KeptTokens> {
    const { name, url, tokens } = this.deps
    return (await tokens.read(name, url)) ?? { url }
  }

  async #keep(part: Partial<KeptTokens>): Promise<void> {
    const { name, tokens } = this.deps
    const kept = { ...(await this.#kept()), ...part }
    // A person who signs in is told; a refresh has spent the tokens of before, and is not to be lost.
    await (this.#show ? tokens.write(name, kept) : tokens.keep(name, kept))
  }
}

export function signInError(name: string): SvcError {
  return new SvcError('MCP_SIGN_IN', `The MCP server ${name} wants you to sign in. Run: svc mcp login ${name}`)
}

/** The whole way of a person. Throws `MCP_SIGN_IN`. */
export async function signIn(deps: OAuthDeps, person: McpSignIn): Promise<void> {
  const { name, url, settings, clock } = deps
  const state = deps.hex(24)
  const callback = await openCallback(settings.oauth.redirect_port, state)
  const client = await openHttpClient({ server: name, settings, maxBytes: MAX_BYTES })
  const seconds = settings.oauth.timeout
  try {
    const provider = new StoredAuth(deps, callback.url, (address) => person.show(address.href), state)
    const challenge = await askChallenge(url, client.fetch, person.signal)
    const scope = settings.oauth.scope ?? (await provider.takeScope()) ?? challenge.scope
    // Earlier tokens are not refreshed: the person may want another account.
    await provider.invalidateCredentials('tokens')
    const options = {
      serverUrl: url,
      fetchFn: client.fetch,
      ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    }
    const first = await auth(provider, options)
    if (first === 'AUTHORIZED') return
    const code = await withDeadline(
      clock,
      seconds * 1000,
      (signal) => Promise.race([callback.code, askAddress(person, state, signal)]),
      () => new SvcError('MCP_SIGN_IN', `No one signed in within ${seconds} s. Try again.`),
      { signal: person.signal },
    )
    await auth(provider, { ...options, authorizationCode: code })
  } catch (error) {
    person.signal.throwIfAborted()
    if (error instanceof SvcError) throw error
    throw new SvcError('MCP_SIGN_IN', `Signing in to the MCP server ${name} failed: ${errorMessage(error)}`, {
      cause: error,
    })
  } finally {
    callback.close()
    await client.close()
  }
}

/** What the server says of its authorisation to a request without a token: RFC 9728, section 5.1. */
async function askChallenge(
  url: string,
  request: FetchLike,
  signal: AbortSignal,
): Promise<{ readonly resourceMetadataUrl?: URL; readonly scope?: string }> {
  const response = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
    signal,
  })
  await response.body?.cancel()
  if (response.status !== 401) return {}
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) }
}

/** Never resolves where the person has nothing to paste. */
async function askAddress(person: McpSignIn, state: string, signal: AbortSignal): Promise<string> {
  const typed = await person.ask?.(signal)
  if (!typed?.trim()) return new Promise(() => undefined)
  if (!URL.canParse(typed.trim())) return typed.trim()
  return readCode(new URL(typed.trim()), state)
}

function readCode({ searchParams }: URL, state: string): string {
  const error = searchParams.get('error')
  if (error !== null)
    throw new SvcError('MCP_SIGN_IN', `The sign-in was refused: ${searchParams.get('error_description') ?? error}.`)
  const code = searchParams.get('code')
  if (code === null || !isSameSecret(searchParams.get('state') ?? '', state))
    throw new SvcError('MCP_SIGN_IN', 'The address that the browser was sent to belongs to another sign-in. Try again.')
  return code
}

interface Callback {
  readonly url: string
  readonly code: Promise<string>
  close(): void
}

/** Listens on loopback for the browser. A request that does not belong to this sign-in is answered and ignored. */
async function openCallback(port: number, state: string): Promise<Callback> {
  let settle: { readonly resolve: (code: string) => void; readonly reject: (error: Error) => void } | undefined
  const code = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // The sign-in may end another way first.
  code.catch(() => undefined)
  const server: HttpServer = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const isOurs = url.pathname === CALLBACK && isSameSecret(url.searchParams.get('state') ?? '', state)
    response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end(isOurs ? 'You can close this window and go back to svc.\n' : 'Not found.\n')
    if (!isOurs) return
    try {
      settle?.resolve(readCode(url, state))
    } catch (error) {
      settle?.reject(error as Error)
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new SvcError('MCP_SIGN_IN', `The callback cannot be listened for: ${errorMessage(cause)}`, { cause })),
    )
    server.listen(port, '127.0.0.1', () => resolve())
  })
  const { port: own } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${own}${CALLBACK}`, code, close: () => void server.close().closeAllConnections() }
}
