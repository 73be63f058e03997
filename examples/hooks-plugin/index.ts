/** One listener of each kind. What a listener may do, and what its failure means, follows from the kind of the hook. */
import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AroundToolCall, BeforeToolCall, BeforeUserMessage, Clock, definePlugin, TurnEnded } from 'svc/sdk'
import { config } from './config.ts'
import { listenToModels } from './models.ts'
import { listenToTurns } from './turns.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const { snippets, forbidden, slow_ms: slowMs } = ctx.config

    // transform: gives the value back, changed or not. If it fails, the text stays as it was.
    ctx.on(BeforeUserMessage, (text) => text.replace(/;[\w-]+/g, (word) => snippets[word] ?? word))

    // decide: all listeners are heard and the strictest verdict wins; `undefined` abstains. If it fails, the call is
    // denied. plugin.json names the gate under `guards`, so that it denies too while this plugin does not run.
    ctx.on(BeforeToolCall, ({ name, input }) => {
      const asked = JSON.stringify(input)
      const found = forbidden.find((text) => asked.includes(text))
      if (found) return { decision: 'deny', reason: `config.yaml forbids "${found}" in a call of ${name}` }
    })

    // wrap: runs around the work. It calls `next` once and gives its result on.
    ctx.on(AroundToolCall, async (request, next) => {
      const clock = ctx.use(Clock)
      const began = clock.monotonic()
      try {
        return await next(request)
      } finally {
        const ms = clock.monotonic() - began
        if (ms > slowMs) ctx.log.warn('a tool call was slow', { tool: request.name, ms })
      }
    })

    listenToTurns(ctx)
    listenToModels(ctx)

    // notify: is told, after the fact. If it fails, that is reported, and nothing else happens.
    ctx.on(TurnEnded, async ({ sessionId, reason, usage }) => {
      const line = JSON.stringify({ at: ctx.use(Clock).now(), sessionId, reason, ...usage })
      await mkdir(ctx.dataDir, { recursive: true })
      await appendFile(join(ctx.dataDir, 'ledger.jsonl'), `${line}\n`)
    })
  },
})
