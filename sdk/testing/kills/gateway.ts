/** The process that is killed: a gateway with one platform and a scripted model, which ends itself before a step. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { openSvc } from 'svc'
import { Agent } from '../../agent.ts'
import { Approvals } from '../../approvals.ts'
import { Gateway } from '../../gateway.ts'
import { Http } from '../../http.ts'
import { SpeechBackends, Transcription } from '../../media.ts'
import { Outbox } from '../../outbox.ts'
import { Platforms } from '../../platforms.ts'
import { Providers } from '../../providers.ts'
import { Storage } from '../../storage.ts'
import { ANSWER, FILES, type MessageWay, scriptedModel } from './script.ts'
import { scriptedSpeech } from './speech.ts'
import { countCalls, countCommits, Steps } from './steps.ts'

/** What the process is told, as JSON. @since 0.2 */
export interface KilledGatewayOptions {
  readonly home: string
  readonly platform: string
  /** Folders of plugins that are not built in. */
  readonly dirs: readonly string[]
  readonly config: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string>>
  readonly way: MessageWay
  /** It dies before the step with this number; 0: it lives. */
  readonly at: number
}

const CONNECT_MS = 10_000
const POLL_MS = 25
const MAX_DELIVERIES = 1000
const SPEECH = { speech: { tts_backend: 'script', stt_backend: 'script' }, voice: { chats: 'auto' } }

/**
 * For the child process of `platformKillSuite`. Writes lines of JSON: whether it is connected, then after each line `settle` of its
 * standard input, once nothing is under way, its steps so far, its status and its deliveries. Ends when its input does.
 * @since 0.2
 */
export async function runKilledGateway(options: KilledGatewayOptions): Promise<void> {
  const { home, platform: name, dirs, config, env, way, at } = options
  mkdirSync(join(home, 'workspace'), { recursive: true })
  if (way === 'files') for (const file of FILES) writeFileSync(join(home, 'workspace', file), `%PDF ${file}`)
  const model = { provider: 'script', default: 'script-1' }
  const svc = await openSvc({
    ...{ home, dirs, env },
    // A line that says which command runs looks like the question whether it may.
    config: {
      ...{ ...config, model, gateway: { drain_seconds: 0 }, display: way === 'approval' ? quiet(name) : {} },
      ...(way === 'speech' && SPEECH),
    },
    with: [
      {
        name: 'script',
        requires: [Gateway.id, Http.id, Approvals.id, Agent.id, ...(way === 'speech' ? [Transcription.id] : [])],
        setup(ctx) {
          ctx.add(Providers, scriptedModel(way, name))
          if (way === 'speech') ctx.add(SpeechBackends, scriptedSpeech)
        },
      },
    ],
  })
  const steps = new Steps(at)
  countCommits(svc.use(Storage), steps)
  const platform = svc.all(Platforms).get(name)
  if (platform) countCalls(platform, steps)
  const gateway = svc.use(Gateway)
  const outbox = svc.use(Outbox)
  const own = () => gateway.status().platforms.find((each) => each.name === name)
  await gateway.start()
  for (let waited = 0; own()?.state !== 'connected' && waited < CONNECT_MS; waited += POLL_MS) await pause(POLL_MS)
  const url = svc
    .use(Http)
    .apps()
    .find((app) => app.name === name)?.url
  const problems = svc.plugins.problems().map(({ plugin, message }) => `${plugin}: ${message}`)
  say({ ready: own()?.state === 'connected', reason: own()?.reason ?? problems.join('; '), url })
  steps.begin()
  if (way === 'job') outbox.send({ target: name, text: ANSWER, key: 'job:1', isOwners: true })
  for await (const line of createInterface({ input: process.stdin })) {
    if (line !== 'settle') continue
    await gateway.idle()
    const all = outbox.deliveries({ limit: MAX_DELIVERIES })
    const deliveries = all.map(({ key, state, error }) => ({ key, state, error }))
    const { inbox, outbox: left } = gateway.status()
    say({ steps: steps.count, inbox, outbox: left, deliveries })
  }
  await svc.stop()
}

/** Without lines about tools. */
function quiet(platform: string): object {
  return { platforms: { [platform]: { tool_progress: 'off' } } }
}

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}
