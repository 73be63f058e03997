/** Offers webhooks, and `svc webhook`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CliCommands, Clock, definePlugin, Home, Net, Random, Secrets } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { ConfigFile, Plugins } from 'svc/sdk/host'
import { Outbox, Platforms } from 'svc/sdk/platform'
import { Storage } from 'svc/sdk/storage'
import { SharedTables } from 'svc/sdk/store'
import { Http } from 'svc/sdk/web'
import { webhookCommand } from './cli.ts'
import { Comments } from './comments.ts'
import { config } from './config.ts'
import { dashboardRoutes } from './dashboard-routes.ts'
import { parseItems } from './filters.ts'
import { WebhookPlatform } from './platform.ts'
import { Routes } from './routes.ts'
import { sharedTables } from './shared.ts'
import { EventStore } from './store.ts'
import { WebhookSender } from './webhook-sender.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const settings = ctx.config
    const [clock, net, random, secrets] = [
      () => ctx.use(Clock),
      () => ctx.use(Net),
      () => ctx.use(Random),
      () => ctx.use(Secrets),
    ]
    const now = () => clock().now()
    const routes = new Routes({
      configured: settings.routes,
      file: join(ctx.dataDir, 'routes.json'),
      log: ctx.log,
      secret: (name) => secrets().get(name),
      protect: (value) => secrets().protect(value),
    })
    const file = join(ctx.dataDir, 'webhook.db')
    const store = new EventStore(() => ctx.use(Storage), file)
    ctx.add(SharedTables, sharedTables(file))
    const token = () => secrets().get('GITHUB_TOKEN')
    const comments = new Comments({ baseUrl: settings.github_api_url, net, token, now })
    const courier = new WebhookSender({ log: ctx.log, store, comments, outbox: () => ctx.find(Outbox), now })
    const home = (...parts: string[]) => ctx.use(Home).path(...parts)
    const platform = new WebhookPlatform({
      settings,
      log: ctx.log,
      routes,
      store,
      courier,
      readList: (file) => parseItems(readFileSync(home(file), 'utf8')),
      scripts: home('scripts'),
      clock,
      net,
      http: () => ctx.use(Http),
      secrets,
    })
    ctx.add(Platforms, platform)
    const configFile = () => ctx.use(ConfigFile)
    const applyConfig = () => ctx.use(Plugins).applyConfig()
    const deps = { settings, routes, clock, net, random, secrets, configFile, applyConfig }
    ctx.add(CliCommands, webhookCommand(deps))
    for (const route of dashboardRoutes(deps)) ctx.add(DashboardRoutes, route)
    ctx.defer(async () => {
      await platform.close()
      await store.close()
    })
  },
})
