/** Wires the tool `terminal` and the backend `local`. */
import { Clock, definePlugin, Random, Secrets, Sessions, Tools } from 'svc/sdk'
import { SelectCommandEnvironment, SubagentEnded, WorkingFolderChanged } from 'svc/sdk/hooks'
import { Plugins } from 'svc/sdk/host'
import {
  BackgroundProcesses,
  CommandKnowledge,
  ExecutionEnvironments,
  ProcessSandbox,
  ShellBackends,
} from 'svc/sdk/shell'
import { backendName, findBackend, isPersistent, localBackend } from './backends.ts'
import { type Config, config } from './config.ts'
import type { Confining } from './confined.ts'
import { sessionFolders } from './folders.ts'
import { type OpenTerminal, type TerminalDeps, terminalTool } from './tools.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    let opened: Promise<OpenTerminal> | undefined
    const backends = ctx.all(ShellBackends)
    const name = backendName(ctx.config, ctx.use(Secrets))
    const persistent = isPersistent(name, ctx.config, ctx.use(Secrets))
    let made: Promise<Confining> | undefined
    const confining = () => {
      made ??= import('./confined.ts').then(
        ({ Confining }) =>
          new Confining({
            ...{ mode: ctx.config.confine, backend: name },
            confinement: () => ctx.find(ProcessSandbox),
            knowledge: () => ctx.find(CommandKnowledge),
          }),
      )
      return made
    }
    const folders = sessionFolders(
      () => ctx.find(Sessions),
      (change) => void ctx.call(WorkingFolderChanged, change),
    )
    const host: TerminalDeps = {
      folders,
      config: ctx.config,
      persistent,
      confining,
      variables: (command, turn) => ctx.call(SelectCommandEnvironment, {}, { tool: 'terminal', command, turn }),
      clock: () => ctx.use(Clock),
      mask: (text) => ctx.use(Secrets).mask(text),
      isolated: () => backends.get(name)?.isolated(ctx.config) ?? false,
      elsewhere: () => (backends.get(name)?.elsewhere ? name : undefined),
      processes: () => ctx.find(BackgroundProcesses),
      open: () => {
        opened ??= open()
        return opened
      },
      getFolder: async (sessionId) => (await opened)?.shells.getFolder(sessionId) ?? folders.get(sessionId),
    }
    async function open(): Promise<OpenTerminal> {
      const { openTerminal } = await import('./open-terminal.ts')
      const backend = () => findBackend(backends, name)
      const isSecret = (name: string) =>
        ctx
          .use(Plugins)
          .list()
          .some(({ manifest }) => manifest.env?.some((each) => each.name === name && each.secret))
      return openTerminal(host, { backend, name, random: ctx.use(Random), environment: process.env, isSecret })
    }
    ctx.add(
      ShellBackends,
      localBackend(async () => (await confining()).find()),
    )
    ctx.add(Tools, terminalTool(host))
    const isHere = name === 'local'
    ctx.provide(ExecutionEnvironments, () => ({
      find: async (session) => (isHere ? undefined : (await host.open()).environments.find(session)),
      name: () => (isHere ? undefined : name),
      isIsolated: host.isolated,
    }))
    if (ctx.config.confine === 'off') {
      ctx.onStart(() => {
        const message =
          'Commands are not confined: terminal.confine is "off", so each can change what you can. Set it to auto.'
        ctx.use(Plugins).report({ plugin: ctx.name, stage: 'start', code: 'TERMINAL_UNCONFINED', message })
      })
    }
    ctx.on(SubagentEnded, async ({ sessionId }) => (await opened)?.shells.end(sessionId))
    ctx.defer(async () => (await opened)?.close())
  },
})
