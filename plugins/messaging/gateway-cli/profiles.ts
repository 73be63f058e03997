/** Commands about the gateways of several profiles: each sees its own home. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Home, type PluginContext, type Service, SvcError } from 'svc/sdk'
import { Control } from 'svc/sdk/host'
import { AgentProcesses } from 'svc/sdk/shell'

type Context = PluginContext<undefined>

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/
const DEFAULT = 'default'

/** A profile, and this plugin as it would be loaded in it. */
export interface InProfile {
  readonly name: string
  readonly ctx: Context
}

/** `a,b`, or `all`. In the order in which they are named. Throws `GATEWAY_PROFILE`, and `CLI_IN_AGENT` for a program of the agent. */
export function findProfiles(ctx: Context, typed: string): readonly InProfile[] {
  if (ctx.use(AgentProcesses).findMarked(process.pid) !== undefined)
    throw new SvcError('CLI_IN_AGENT', '--profiles is not for programs that the agent started. Ask the user to run it.')
  const { root } = ctx.use(Home)
  const names = typed === 'all' ? listNames(root) : typed.split(',').map((name) => name.trim().toLowerCase())
  return [...new Set(names)].map((name) => {
    const dir = name === DEFAULT ? root : join(root, 'profiles', name)
    if (!NAME.test(name) || !isFolder(dir))
      throw new SvcError(
        'GATEWAY_PROFILE',
        `There is no profile ${JSON.stringify(name)}. Those there are: ${listNames(root).join(', ')}`,
        {
          status: 404,
        },
      )
    return {
      name,
      ctx: inHome(ctx, {
        dir,
        root,
        profile: name === DEFAULT ? undefined : name,
        path: (...parts) => join(dir, ...parts),
      }),
    }
  })
}

/** The same context, whose home and processes are those of another profile. */
function inHome(ctx: Context, home: Home): Context {
  const control: Control = {
    serve: (command) => ctx.use(Control).serve(command),
    answer: (...given) => ctx.use(Control).answer(...given),
    ask: (method, params, options) => ctx.use(Control).ask(method, params, { ...options, home: home.dir }),
  }
  const use = (<T>(service: Service<T>): unknown => {
    if ((service as unknown) === Home) return home
    return (service as unknown) === Control ? control : ctx.use(service)
  }) as Context['use']
  return new Proxy(ctx, {
    get: (target, name) => {
      if (name === 'use') return use
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function listNames(root: string): readonly string[] {
  const folder = join(root, 'profiles')
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  return [DEFAULT, ...names.filter((name) => NAME.test(name) && name !== DEFAULT && isFolder(join(folder, name)))]
}

function isFolder(dir: string): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() ?? false
}
