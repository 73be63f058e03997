import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tools } from 'svc/sdk'
import { GuardedFiles } from 'svc/sdk/safety'
import { fakeToolTurn, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'
import { IS_ALL } from '../support/today.ts'

const RACE_MS = IS_ALL ? 10_000 : 1500
const SECRET = 'canary-of-the-home'
const NAME = 'auth.json'

/** A project in which a folder and a link to the home change places all the time. */
async function race() {
  const home = temporaryFolder()
  const project = temporaryFolder()
  writeFiles(home, { [NAME]: `${SECRET}\n` })
  writeFiles(project, { [`folder/${NAME}`]: 'canary of the project\n' })
  const kernel = await testKernel({ plugins: ['tool-files', 'tool-patch'], home, config: {} })
  onTestFinished(() => kernel.stop())
  const names = readdirSync(home).sort()
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, 'swapped-folder-child.mjs'), project, home],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return { home, project, kernel, names }
}

type Race = Awaited<ReturnType<typeof race>>

async function call({ kernel, project }: Race, name: string, input: object): Promise<unknown> {
  const tool = kernel.all(Tools).get(name)
  const parsed = await tool?.input['~standard'].validate(input)
  if (!tool || !parsed || parsed.issues) throw new Error(`the test calls ${name} wrongly`)
  return tool.run(parsed.value, fakeToolTurn({ cwd: project, sessionId: `s${Math.random()}` }))
}

const path = `folder/${NAME}`
const ATTACKS: Readonly<Record<string, (race: Race, round: number) => Promise<unknown>>> = {
  read_file: (at) => call(at, 'read_file', { path }),
  'FileGuard.read': async (at) =>
    Buffer.from((await at.kernel.use(GuardedFiles).read(path, at.project, { maxBytes: 100 })).bytes).toString(),
  write_file: (at, round) => call(at, 'write_file', { path, content: `canary of the project ${round}\n` }),
  'write_file, a new file': (at, round) => call(at, 'write_file', { path: `folder/new-${round}`, content: 'x' }),
  'write_file, a new folder': (at, round) => call(at, 'write_file', { path: `folder/in-${round}/new`, content: 'x' }),
  patch: (at, round) => call(at, 'patch', { path, old_string: 'canary', new_string: `canary ${round % 10}` }),
  search_files: (at) => call(at, 'search_files', { path: '.', pattern: 'canary' }),
  'search_files in the folder': (at) => call(at, 'search_files', { path: 'folder', pattern: 'canary' }),
}

test.skipIf(process.platform !== 'linux').each(Object.keys(ATTACKS))(
  '%s never leaves a folder that changes places with a link to the home',
  async (name) => {
    const at = await race()
    const end = performance.now() + RACE_MS
    let [rounds, done, escapes] = [0, 0, 0]
    while (performance.now() < end) {
      const answer = await ATTACKS[name]?.(at, rounds++).then(
        (value) => ({ value }),
        (error: unknown) => ({ error: String(error) }),
      )
      if (answer && 'value' in answer) done++
      if (JSON.stringify(answer).includes(SECRET)) escapes++
    }
    expect({
      escapes,
      names: readdirSync(at.home).filter((each) => !at.names.includes(each) && each !== 'data'),
    }).toEqual({ escapes: 0, names: [] })
    expect(readFileSync(join(at.home, NAME), 'utf8')).toBe(`${SECRET}\n`)
    // A guard that refuses everything would pass otherwise.
    expect(done, `${rounds} tries`).toBeGreaterThan(0)
  },
  RACE_MS + 20_000,
)
