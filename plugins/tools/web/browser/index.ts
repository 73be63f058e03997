/** Wires the service `browser` and the command `/browser`. */
import { Clock, definePlugin, Net, Random, Secrets, SlashCommands } from 'svc/sdk'
import { Browser, SafeFetch } from 'svc/sdk/web'
import { browserCommand } from './commands.ts'
import { type Config, config } from './config.ts'
import { findExecutable } from './executable.ts'
import type { Browsers } from './shared-browser.ts'

const LOOK_AGAIN_MS = 5000

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const { executable, cdp_url, command_timeout, inactivity_timeout, dialog_policy, dialog_timeout } = ctx.config
    const places = () => ({
      configured: executable,
      chromePath: ctx.use(Secrets).get('CHROME_PATH'),
      path: ctx.use(Secrets).get('PATH') ?? '/usr/local/bin:/usr/bin:/bin',
    })
    let opening: Promise<Browsers> | undefined
    const browsers = () => {
      opening ??= open()
      return opening
    }
    async function open(): Promise<Browsers> {
      const { Browsers } = await import('./shared-browser.ts')
      return new Browsers({
        clock: ctx.use(Clock),
        log: ctx.log,
        commandMs: command_timeout * 1000,
        idleMs: inactivity_timeout * 1000,
        dialogs: { policy: dialog_policy, timeoutMs: dialog_timeout * 1000 },
        cdpUrl: cdp_url,
        places,
        check: (url) => ctx.use(SafeFetch).check(url),
        net: () => ctx.use(Net),
        mark: () => ctx.use(Random).hex(12),
      })
    }
    let looked: { readonly at: number; readonly missing: string | undefined } | undefined
    const missing = () => {
      const now = ctx.use(Clock).monotonic()
      if (looked && now < looked.at + LOOK_AGAIN_MS) return looked.missing
      const found = findExecutable(places())
      looked = { at: now, missing: 'missing' in found ? found.missing : undefined }
      return looked.missing
    }
    ctx.provide(Browser, () => ({
      mayEvaluate: ctx.config.unsafe_evaluate,
      missing: () => (cdp_url === '' ? missing() : undefined),
      open: async (sessionId) => (await browsers()).open(sessionId),
      session: async (sessionId) => (await browsers()).existing(sessionId),
    }))
    ctx.add(SlashCommands, browserCommand(browsers, cdp_url))
    ctx.defer(async () => (await opening)?.end())
  },
})
