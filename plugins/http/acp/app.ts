/** The methods of the protocol (https://agentclientprotocol.com/protocol/v1/overview). */
import type { AgentApp, InitializeResponse, JsonRpcId } from '@agentclientprotocol/sdk'
import { type PluginContext, Sessions } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { type EditorSessions, listSessions } from './editor-sessions.ts'
import { withFailures } from './failures.ts'
import { readPrompt } from './prompt-content.ts'
import type { EditorSession } from './session.ts'

type Context = PluginContext<undefined>

export interface AppDeps {
  readonly protocol: typeof import('./protocol.ts')
  /** Those of the connection. */
  sessions(): EditorSessions
  /** Runs the work behind the response to a request. */
  answered(id: JsonRpcId, work: () => void): void
}

export function createApp(ctx: Context, deps: AppDeps): AgentApp {
  const { agent, methods, PROTOCOL_VERSION, RequestError } = deps.protocol
  const handled = withFailures(ctx, RequestError)
  const app = agent({ name: 'svc' }).onRequest(
    methods.agent.initialize,
    handled('initialize', ({ params }) => {
      deps.sessions().editor.capabilities = params.clientCapabilities ?? {}
      return describeAgent(ctx, PROTOCOL_VERSION)
    }),
  )
  return addTurns(addStored(addOpen(app, deps, handled), ctx, deps, handled), deps, handled)
}

type Handled = ReturnType<typeof withFailures>

function addOpen(app: AgentApp, { protocol, sessions, answered }: AppDeps, handled: Handled): AgentApp {
  const { session } = protocol.methods.agent
  /** The editor must know of the session before it is told more of it. */
  const known = (requestId: JsonRpcId, opened: EditorSession) => answered(requestId, () => opened.opened())
  return app
    .onRequest(
      session.new,
      handled('session/new', async ({ params, requestId }) => {
        const opened = await sessions().create(params.cwd)
        await opened.connect(params.mcpServers)
        known(requestId, opened)
        return { sessionId: opened.id, ...(await opened.state()) }
      }),
    )
    .onRequest(
      session.load,
      handled('session/load', async ({ params, requestId }) => {
        const opened = sessions().load(params.sessionId)
        await opened.connect(params.mcpServers)
        await opened.replay()
        known(requestId, opened)
        return opened.state()
      }),
    )
    .onRequest(
      session.resume,
      handled('session/resume', async ({ params, requestId }) => {
        const opened = sessions().load(params.sessionId)
        await opened.connect(params.mcpServers ?? [])
        known(requestId, opened)
        return opened.state()
      }),
    )
    .onRequest(
      session.close,
      handled('session/close', async ({ params }) => {
        await sessions().close(sessions().get(params.sessionId).id)
        return {}
      }),
    )
}

function addStored(app: AgentApp, ctx: Context, { protocol, sessions }: AppDeps, handled: Handled): AgentApp {
  const { session } = protocol.methods.agent
  return app
    .onRequest(
      session.list,
      handled('session/list', ({ params }) => listSessions(ctx, params)),
    )
    .onRequest(
      session.delete,
      handled('session/delete', async ({ params }) => {
        await sessions().close(params.sessionId)
        await ctx.use(Sessions).remove([params.sessionId])
        return {}
      }),
    )
}

function addTurns(app: AgentApp, { protocol, sessions }: AppDeps, handled: Handled): AgentApp {
  const { session } = protocol.methods.agent
  return app
    .onRequest(
      session.setMode,
      handled('session/set_mode', ({ params }) => {
        sessions().get(params.sessionId).setMode(params.modeId)
        return {}
      }),
    )
    .onRequest(
      session.setConfigOption,
      handled('session/set_config_option', async ({ params }) => {
        const { configId, value } = params
        return { configOptions: await sessions().get(params.sessionId).setOption(configId, value) }
      }),
    )
    .onRequest(
      session.prompt,
      handled('session/prompt', async ({ params, signal }) => {
        const content = readPrompt(params.prompt)
        return { stopReason: await sessions().get(params.sessionId).prompt(content, signal) }
      }),
    )
    .onNotification(session.cancel, ({ params }) => sessions().find(params.sessionId)?.cancel())
}

function describeAgent(ctx: Context, protocolVersion: number): InitializeResponse {
  return {
    protocolVersion,
    // The plugins that come with svc have its version.
    agentInfo: { name: 'svc', title: 'svc', version: ctx.use(Plugins).info(ctx.name)?.manifest.version ?? '' },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    authMethods: [],
  }
}
