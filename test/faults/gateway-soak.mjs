/**
 * Two hours of a gateway in virtual time: ten thousand turns in a hundred chats of a platform that floods, repeats, refuses,
 * breaks, and falls silent. argv: how many turns. Prints what came of it as JSON.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openSvc } from 'svc'
import { deliveryBusy, deliveryUncertain, Gateway, Outbox, Platforms } from 'svc/sdk/platform'
import { Providers } from 'svc/sdk/provider'
import { fakePlatform, virtualClock } from 'svc/sdk/testing'

const TURNS = Number(process.argv[2] ?? 10_000)
const CHATS = 100
const AT_ONCE = 10
const SPAN_MS = 7_200_000
const [home = ''] = process.argv.slice(3)

const clock = virtualClock()
const fake = fakePlatform({ limits: { idempotency: 'key' } })
const model = {
  name: 'echo',
  label: 'Echo',
  status: async () => ({ ready: true, detail: 'always' }),
  models: async () => [{ id: 'echo-1' }],
  async *stream({ messages }) {
    yield { type: 'text', text: `echo ${messages.at(-1)?.text}` }
    yield { type: 'usage', usage: { input: 1, output: 1 } }
    yield { type: 'end', reason: 'stop' }
  },
}
const svc = await openSvc({
  home,
  clock,
  plugins: ['gateway'],
  config: {
    model: { provider: 'echo', default: 'echo-1' },
    gateway: { session_reset: { mode: 'idle', idle_minutes: 1, notify: false } },
  },
  env: {},
  with: [fake.plugin, { name: 'echo', setup: (ctx) => void ctx.add(Providers, model) }],
})
const gateway = svc.use(Gateway)
await gateway.start()

/** How often each answer arrived. */
const arrived = new Uint8Array(TURNS)
/** Messages that the fake still looks for are among the newest. */
const KEPT = 500
const COUNTED = { chatId: '', messageId: '', key: '', text: '' }
let counted = 0

const chance = seeded(7)
const delay = monitorEventLoopDelay({ resolution: 5 })
const heaps = []
let faults = 0
delay.enable()
for (let turn = 0; turn < TURNS; turn += AT_ONCE) {
  for (let at = 0; at < AT_ONCE; at++) await say(turn + at)
  disturb()
  await settle()
  await clock.advance((SPAN_MS / TURNS) * AT_ONCE)
  count(fake.sent.length - KEPT)
  if (turn % (TURNS / 10) === 0) heaps.push(heap())
}
await settle()
count(fake.sent.length)
heaps.push(heap())
delay.disable()

console.log(
  JSON.stringify({
    turns: TURNS,
    faults,
    lost: arrived.filter((times) => times === 0).length,
    doubled: arrived.filter((times) => times > 1).length,
    heaps,
    delayP99Ms: delay.percentile(99) / 1e6,
    counts: svc.use(Outbox).counts(),
  }),
)
await svc.stop()

/** Said again by its person until it is taken, as a platform delivers again. */
async function say(turn) {
  for (;;) {
    try {
      await fake.say(`user-${turn % CHATS}`, `message ${turn}`, { messageId: `id-${turn}` })
      if (chance() < 0.05) await fake.repeat()
      return
    } catch {
      await clock.advance(1000)
    }
  }
}

function disturb() {
  const dice = chance()
  if (dice < 0.15) fake.failSends(deliveryBusy('SOAK', 'too fast', { retryAfterMs: 2000 }))
  else if (dice < 0.3) fake.failSends(deliveryUncertain('SOAK', 'cut'), deliveryUncertain('SOAK', 'cut again'))
  else if (dice < 0.35) fake.lose('the connection broke')
  else if (dice < 0.38) silence()
  else return
  faults++
}

/** Nobody answers a probe for two minutes. */
function silence() {
  const platform = svc.all(Platforms).get('fake')
  const probe = platform.probe.bind(platform)
  platform.probe = async () => false
  clock.after(120_000, () => {
    platform.probe = probe
  })
}

async function settle() {
  let isIdle = false
  const idle = gateway.idle().then(() => {
    isIdle = true
  })
  while (!isIdle) await clock.advance(500)
  await idle
}

/** Counts what was sent up to this place, and drops it: what the test remembers must not look like a leak. */
function count(end) {
  for (; counted < end; counted++) {
    const [, turn] = /^echo message (\d+)$/.exec(fake.sent[counted].text) ?? []
    if (turn !== undefined) arrived[Number(turn)]++
    fake.sent[counted] = COUNTED
  }
}

function heap() {
  globalThis.gc?.()
  return Math.round(process.memoryUsage().heapUsed / 2 ** 20)
}

/** The same chances each time (mulberry32). */
function seeded(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
