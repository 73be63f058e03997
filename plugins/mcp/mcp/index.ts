/** Wires servers of the Model Context Protocol into turns, commands and audits. The protocol is loaded with the first server. */
import { join } from 'node:path'
import {
  AuxiliaryModels,
  CliCommands,
  Clock,
  Config as ConfigValues,
  Conversations,
  createTranslator,
  definePlugin,
  Home,
  Random,
  Secrets,
  SelectTools,
  SlashCommands,
} from 'svc/sdk'
import { BeforeUserInput } from 'svc/sdk/hooks'
import { CommandProviders, ConfigFile, Plugins } from 'svc/sdk/host'
import { McpPicker, McpServers } from 'svc/sdk/mcp'
import { AuditSources, SecurityAudit } from 'svc/sdk/safety'
import { mcpAuditSource } from './audit.ts'
import { mcpCommand } from './cli.ts'
import { reloadCommand } from './commands.ts'
import { type Config, config } from './config.ts'
import { records } from './definitions.ts'
import { Discovery } from './discovery.ts'
import { GroupGuard } from './group-guard.ts'
import { openSubscriptions } from './open-subscriptions.ts'
import { Opener } from './opener.ts'
import { promptCommands } from './prompts.ts'
import { ToolRegistry } from './registry.ts'
import { ServerRequests } from './requests.ts'
import { Servers } from './servers.ts'
import { TokenFiles } from './token-files.ts'
import { Vetting, vetted } from './vetting.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const t = createTranslator(ctx)
    const secrets = () => ctx.use(Secrets)
    const tokens = new TokenFiles(ctx.use(Home).path('mcp-tokens'), {
      ...{ log: ctx.log, clock: () => ctx.use(Clock) },
      protect: (value) => secrets().protect(value),
    })
    ctx.defer(() => tokens.end())
    const state = ctx.state('servers', { schema: records, initial: {} })
    const vetting = new Vetting({
      ...{ log: ctx.log, state: ctx.state('packages', { schema: vetted, initial: {} }) },
      clock: () => ctx.use(Clock),
      audit: () => ctx.use(Plugins).bring(SecurityAudit),
    })
    const opener = new Opener({
      ...{ tokens, vetting, log: ctx.log, guard: new GroupGuard() },
      clock: () => ctx.use(Clock),
      version: () => ctx.use(Plugins).info(ctx.name)?.manifest.version ?? '0',
      hex: (bytes) => ctx.use(Random).hex(bytes),
      mask: (text) => secrets().mask(text),
      updated: (server, uri) => subscriptions.updated(server, uri),
    })
    const subscriptions = openSubscriptions(ctx)
    let made: Servers | undefined
    const servers = () => {
      made ??= new Servers({
        ...{ ctx, state, tokens, subscriptions, filesDir: join(ctx.dataDir, 'files') },
        clock: () => ctx.use(Clock),
        writer: () => ctx.find(ConfigFile),
        mask: (text) => secrets().mask(text),
        requests: ({ name, settings }) =>
          new ServerRequests(name, settings, {
            clock: ctx.use(Clock),
            askModel: (request) => ctx.use(AuxiliaryModels).ask(request),
          }),
        open: (server, signal) => opener.open(server, servers().requestsOf(server), signal),
        login: (server, person) => opener.login(server, person),
        isTaken: (name) => registry.isTaken(name),
        getVariable: (name) => secrets().get(name),
        asked: (running) => {
          registry.follow()
          discovery.wait(running)
        },
      })
      return made
    }
    const registry = new ToolRegistry(ctx, servers)
    ctx.provide(McpServers, servers)
    ctx.add(AuditSources, mcpAuditSource(ctx.config))
    const hasServers = Object.values(ctx.config).some(({ enabled }) => enabled)
    ctx.add(CommandProviders, promptCommands({ servers, hasServers, t }))
    const isConfirmed = () => ctx.use(ConfigValues).get('approvals.mcp_reload_confirm') !== false
    ctx.add(SlashCommands, reloadCommand(servers, isConfirmed, t))
    ctx.add(
      CliCommands,
      mcpCommand(servers, () => ctx.use(Plugins).bring(McpPicker)),
    )
    ctx.defer(() => made?.end())
    const discovery = new Discovery({
      ...{ servers, clock: () => ctx.use(Clock), log: ctx.log, signal: ctx.signal, t },
      say: (sessionId, text) => ctx.find(Conversations)?.of(sessionId)?.say(text, 'warning'),
    })
    ctx.onStart(() => {
      if (!hasServers) return
      registry.follow()
      state.onChange(() => servers().forgetRecords())
      if (ctx.process.role !== 'command') discovery.begin()
    })
    ctx.on(SelectTools, (offer, { sessionId }) => (made ? registry.select(offer, sessionId) : undefined))
    ctx.on(BeforeUserInput, async (_input, { sessionId }) => {
      if (!made) return undefined
      servers().follow(sessionId)
      await discovery.before(sessionId)
      return undefined
    })
  },
})
