/** A session in its own folder, and what becomes of a message that is typed there. */
import { execFileSync } from 'node:child_process'
import { BeforeUserMessage, type CommandContext, type Conversation, Sessions } from 'svc/sdk'
import type { InlinePlugin } from 'svc/sdk/host'
import { unreachablePerson } from 'svc/sdk/host'
import { Completers } from 'svc/sdk/terminal'
import { fakeTurn, testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

/** What else is there. */
type StageOptions = Pick<NonNullable<Parameters<typeof testKernel>[0]>, 'plugins' | 'with' | 'config'>

/** Sends texts through the hook as the agent does. */
async function hooked(env: Readonly<Record<string, string>>, more: StageOptions = {}) {
  let say: (text: string, surface: string, sessionId: string) => Promise<string> = async (text) => text
  const agent: InlinePlugin = {
    name: 'typist',
    setup(ctx) {
      say = (text, surface, sessionId) =>
        ctx.call(BeforeUserMessage, text, fakeTurn({ sessionId, turnId: 'turn_1', surface }))
    },
  }
  const kernel = await testKernel({
    plugins: ['mentions', ...(more.plugins ?? [])],
    with: [agent, ...(more.with ?? [])],
    config: more.config ?? {},
    env,
  })
  onTestFinished(() => kernel.stop())
  return { kernel, say }
}

export async function stage(files: Readonly<Record<string, string>> = {}, more: StageOptions = {}) {
  const cwd = temporaryFolder()
  writeFiles(cwd, files)
  const home = temporaryFolder()
  const { kernel, say } = await hooked(
    {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      MY_API_KEY: 'sk-very-secret-value-1234',
    },
    more,
  )
  const session = kernel.use(Sessions).create({ surface: 'cli', cwd })
  const place: CommandContext = {
    person: unreachablePerson,
    sessionId: session.id,
    surface: 'cli',
    cwd,
    signal: new AbortController().signal,
    conversation: undefined as unknown as Conversation,
  }
  const [completer] = kernel.all(Completers).all()
  return {
    kernel,
    cwd,
    home,
    session,
    say: (text: string, surface = 'cli') => say(text, surface, session.id),
    complete: async (text: string, change: Partial<CommandContext> = {}) =>
      (await completer?.complete(text, { ...place, ...change })) ?? [],
    git: (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd, encoding: 'utf8' }),
  }
}

export const hasGit = (() => {
  try {
    return execFileSync('git', ['--version'], { encoding: 'utf8' }).startsWith('git version')
  } catch {
    return false
  }
})()
