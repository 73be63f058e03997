/** `svc gateway run --profiles a,b`: one process that watches over a gateway for each of them. */
import { readFileSync } from 'node:fs'
import { type CliArguments, type CliContext, Clock, Home, type PluginContext } from 'svc/sdk'
import { parse } from 'yaml'
import { Ending, type EndRequest, endWith, exitCodes, onEndSignals } from './ending.ts'
import { LogFile } from './log-file.ts'
import { takeOrder } from './order-file.ts'
import { findProfiles, type InProfile } from './profiles.ts'
import { getGatewayFiles } from './running-gateway.ts'
import type { Instance } from './single-instance.ts'
import type { Child } from './supervised-process.ts'
import { takeHome, watchOver } from './watch.ts'

type Context = PluginContext<undefined>

/** How often it looks for an order that came as a file. */
const LOOK_MS = 500
const DRAIN_SECONDS = 30

interface Watched extends InProfile {
  readonly instance: Instance
  readonly ending: Ending
  child?: Child
}

/** Holds the lock of each home. When one profile exits or is stopped, the others keep running. */
export async function runProfiles(ctx: Context, { options }: CliArguments, io: CliContext): Promise<number> {
  const profiles = findProfiles(ctx, String(options['profiles']))
  const form = options['json'] === true ? 'json' : 'text'
  const isInBackground = options['background'] === true
  const watched: Watched[] = []
  const all = new Ending()
  try {
    const names = profiles.map(({ name }) => name)
    for (const profile of profiles) {
      const instance = await takeHome(profile.ctx, options['replace'] === true, names)
      watched.push({ ...profile, instance, ending: new Ending() })
    }
    const off = [
      onEndSignals(io, all, () => {
        for (const { child } of watched) child?.kill()
        process.exit(exitCodes.interrupted)
      }),
      all.onRequest((request) => forward(request, all, watched)),
    ]
    try {
      const width = Math.max(...names.map(({ length }) => length))
      const codes = await Promise.all(
        watched.map((each) =>
          watchOne(each, isInBackground ? toLog(each) : toTerminal(io, each.name, { form, width }), form),
        ),
      )
      return endWith(codes.find((code) => code !== exitCodes.stopped) ?? exitCodes.stopped, io)
    } finally {
      for (const undo of off) undo()
    }
  } finally {
    for (const { instance } of watched) instance.release()
  }
}

/** A restart holds for all of them, once; a stop for good. */
function forward(request: EndRequest, all: Ending, watched: readonly Watched[]): void {
  for (const { ending } of watched) ending.ask(request)
  if (request.kind === 'restart') all.done()
}

async function watchOne(each: Watched, write: (text: string) => void, form: 'text' | 'json'): Promise<number> {
  const { ctx, ending, instance } = each
  const { order } = getGatewayFiles(ctx)
  const clock = ctx.use(Clock)
  takeOrder(order)
  let cancel = () => {}
  const look = () => {
    const kind = takeOrder(order)
    if (kind) ending.ask({ kind, reason: `svc gateway ${kind}` })
    cancel = clock.after(LOOK_MS, look, { background: true })
  }
  look()
  try {
    return await watchOver(
      ctx,
      { out: write, err: write, color: false },
      {
        ...{ form, instance, ending, write },
        stopSeconds: readDrainSeconds(ctx),
        cwd: ctx.use(Home).dir,
        started: (child) => {
          each.child = child
        },
      },
    )
  } finally {
    cancel()
    instance.release()
  }
}

/** As its own config.yaml says; that of this process is of another profile. */
function readDrainSeconds(ctx: Context): number {
  try {
    const config = parse(readFileSync(ctx.use(Home).path('config.yaml'), 'utf8')) as {
      gateway?: { drain_seconds?: unknown }
    } | null
    const seconds = config?.gateway?.drain_seconds
    return typeof seconds === 'number' && seconds >= 0 ? seconds : DRAIN_SECONDS
  } catch {
    // The gateway itself says what is wrong with the file.
    return DRAIN_SECONDS
  }
}

/** In the log of its own home, as a gateway of its own would. */
function toLog({ ctx }: InProfile): (text: string) => void {
  const log = new LogFile(getGatewayFiles(ctx).log, () => ctx.use(Clock).now())
  return (text) => log.write(text)
}

/** Whole lines, each with the profile it is of. */
function toTerminal(io: CliContext, name: string, { form, width }: { readonly form: string; readonly width: number }) {
  let rest = ''
  return (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const isJson = form === 'json' && line.startsWith('{')
      io.out(isJson ? `{"profile":${JSON.stringify(name)},${line.slice(1)}\n` : `${name.padEnd(width)}  ${line}\n`)
    }
  }
}
