/** A server behind OAuth, made of the library's own authorisation server: registration, PKCE, refresh, revocation. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import type { OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import { getOAuthProtectedResourceMetadataUrl, mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { OAuthClientInformationFull } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { onTestFinished } from 'vitest'

export interface OAuthServer {
  readonly url: string
  /** Names of clients that registered. */
  readonly registered: readonly string[]
  /** Access tokens that were given, in their order. */
  readonly given: readonly string[]
  /** From now on the access tokens given so far are not taken. */
  expire(): void
  /** From now on no refresh token is taken, either. */
  revoke(): void
}

export async function startOAuthServer(): Promise<OAuthServer> {
  const clients = new Map<string, OAuthClientInformationFull>()
  const codes = new Map<string, string>()
  const given: string[] = []
  let valid = new Set<string>()
  let refresh = new Set<string>()
  const give = () => {
    const [access, again] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`]
    given.push(access)
    valid.add(access)
    refresh.add(again)
    return { access_token: access, token_type: 'bearer', expires_in: 3600, refresh_token: again }
  }
  const provider: OAuthServerProvider = {
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient: (client) => {
        const made = { ...client, client_id: randomUUID() } as OAuthClientInformationFull
        clients.set(made.client_id, made)
        return made
      },
    },
    async authorize(_client, { redirectUri, state, codeChallenge }, response) {
      const code = randomUUID()
      codes.set(code, codeChallenge)
      const target = new URL(redirectUri)
      target.searchParams.set('code', code)
      if (state !== undefined) target.searchParams.set('state', state)
      response.redirect(target.href)
    },
    challengeForAuthorizationCode: async (_client, code) => codes.get(code) ?? '',
    exchangeAuthorizationCode: async () => give(),
    async exchangeRefreshToken(_client, token) {
      if (!refresh.has(token)) throw new InvalidGrantError('revoked')
      return give()
    },
    async verifyAccessToken(token) {
      if (!valid.has(token)) throw new InvalidTokenError('expired')
      return { token, clientId: 'any', scopes: [], expiresAt: Math.floor(Date.now() / 1000) + 3600 }
    },
  }
  const app = createMcpExpressApp()
  const server = createServer((request, response) => app(request as never, response as never))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const issuer = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const resource = new URL('/mcp', issuer)
  app.use(mcpAuthRouter({ provider, issuerUrl: issuer, resourceServerUrl: resource }))
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resource)
  app.all(
    '/mcp',
    requireBearerAuth({ verifier: provider, resourceMetadataUrl }),
    async (request: IncomingMessage & { body?: unknown }, response: ServerResponse) => {
      const mcp = new McpServer({ name: 'guarded', version: '1' })
      mcp.registerTool('whoami', { description: 'Says who you are', inputSchema: {} }, () => ({
        content: [{ type: 'text', text: 'you are in' }],
      }))
      const transport = new StreamableHTTPServerTransport({})
      await mcp.connect(transport as unknown as Transport)
      await transport.handleRequest(request, response, request.body)
    },
  )
  return {
    url: resource.href,
    get registered() {
      return [...clients.values()].map(({ client_name = '' }) => client_name)
    },
    given,
    expire: () => {
      valid = new Set()
    },
    revoke: () => {
      valid = new Set()
      refresh = new Set()
    },
  }
}
