import { spawn } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { type ToolResult, Tools } from 'svc/sdk'
import { GuardedFiles, ReadableFolders } from 'svc/sdk/safety'
import { fakeToolTurn, type TestKernel, testKernel } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findPlaces } from '../../../../plugins/tools/tool-files/protection.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

const CANARY = 'canary-of-the-home'
const FILES = [
  ...[
    'config.yaml',
    'config.yml',
    'config.json',
    '.env',
    'auth.json',
    'SOUL.md',
    'plugins/a/index.ts',
    'npm/package.json',
  ],
  ...['cache/plugins/a-12/index.js', 'cache/config.last-good.yaml', 'scripts/hook.sh', 'skills/a/SKILL.md'],
  ...[
    'data/config/undo.key',
    'data/config/changes/1.json',
    'data/approvals/approvals.db',
    'trash/old.txt',
    'mcp-tokens/a',
  ],
]

interface Bench {
  readonly kernel: TestKernel
  /** Where the closed files are. */
  readonly home: string
  readonly project: string
}

/** Where a home may be; each gets the project, and gives SVC_HOME and the folder that is tried. */
const PLACES: Readonly<Record<string, (project: string) => { readonly root: string; readonly home: string }>> = {
  'a folder elsewhere': () => alone(join(temporaryFolder(), 'home')),
  'a profile': () => {
    const root = temporaryFolder()
    return { root, home: join(root, 'profiles/work') }
  },
  'a folder in the project': (project) => alone(join(project, 'state')),
  'a folder behind a link': () => {
    const link = join(temporaryFolder(), 'link')
    symlinkSync(temporaryFolder(), link)
    return alone(link)
  },
  'the folder above the project': (project) => alone(dirname(project)),
}

/** How a file of the home can be named from the project. */
const WAYS: Readonly<Record<string, (file: string, project: string) => string>> = {
  absolute: (file) => file,
  relative: (file, project) => relative(project, file),
  'with dots in it': (file) => `${dirname(file)}/x/../${basename(file)}`,
  'through a linked folder': (file, project) => `${link(dirname(file), project)}/${basename(file)}`,
  'through a linked file': (file, project) => link(file, project),
  'through links to links': (file, project) => `${link(link(dirname(file), project), project)}/${basename(file)}`,
  'through the root of a process': (file) => `/proc/self/root${file}`,
  'through the folder of a process': (file) => `/proc/${processIn(dirname(file))}/cwd/${basename(file)}`,
}

/** Each answers with all that the model would see. */
const TOOLS: Readonly<Record<string, (bench: Bench, path: string) => Promise<unknown>>> = {
  read_file: (bench, path) => call(bench, 'read_file', { path }),
  write_file: (bench, path) => call(bench, 'write_file', { path, content: 'taken over' }),
  'patch, replacing': (bench, path) => call(bench, 'patch', { path, old_string: CANARY, new_string: 'taken over' }),
  'patch, adding': (bench, path) =>
    call(bench, 'patch', { mode: 'patch', patch: patch(`*** Add File: ${path}`, '+taken over') }),
  'patch, removing': (bench, path) => call(bench, 'patch', { mode: 'patch', patch: patch(`*** Delete File: ${path}`) }),
  search_files: (bench, path) => call(bench, 'search_files', { path, pattern: 'canary' }),
  'search_files in the folder': (bench, path) =>
    call(bench, 'search_files', { path: dirname(path), pattern: 'canary' }),
  'FileGuard.read': ({ kernel, project }, path) => kernel.use(GuardedFiles).read(path, project, { maxBytes: 1000 }),
  'FileGuard.edit': ({ kernel, project }, path) =>
    kernel.use(GuardedFiles).edit([path], fakeToolTurn({ cwd: project }), () => [{ text: 'taken over' }]),
}

/** The id of a process that works in this folder. */
function processIn(folder: string): number {
  const child = spawn('sleep', ['60'], { cwd: folder, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid ?? 0
}

/** Makes a link in the project and gives its name. */
function link(target: string, project: string): string {
  const name = `link-${readdirSync(project).length}`
  symlinkSync(target, join(project, name))
  return name
}

function alone(home: string) {
  return { root: home, home }
}

function patch(...lines: readonly string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
}

async function call({ kernel, project }: Bench, name: string, input: object): Promise<ToolResult> {
  const tool = kernel.all(Tools).get(name)
  const parsed = await tool?.input['~standard'].validate(input)
  if (!tool || !parsed || parsed.issues) throw new Error(`the test calls ${name} wrongly`)
  const result = await tool.run(parsed.value, fakeToolTurn({ cwd: project }))
  return typeof result === 'string' ? { text: result } : result
}

async function bench(place: keyof typeof PLACES): Promise<Bench> {
  const project = join(realpathSync(temporaryFolder()), 'above/project')
  mkdirSync(project, { recursive: true })
  const { root, home } = PLACES[place]?.(project) ?? alone(temporaryFolder())
  writeFiles(home, Object.fromEntries(FILES.map((name) => [name, `${CANARY}\n`])))
  const kernel = await testKernel({ plugins: ['tool-files', 'tool-patch'], home: root, config: {} })
  onTestFinished(() => kernel.stop())
  return { kernel, home, project }
}

describe.each(Object.keys(PLACES))('with SVC_HOME as %s', (place) => {
  test.each(Object.keys(WAYS))('no tool reads or changes what svc keeps there, named %s', async (way) => {
    const at = await bench(place)
    for (const name of FILES) {
      const file = join(at.home, name)
      const path = WAYS[way]?.(file, at.project) ?? file
      for (const [tool, use] of Object.entries(TOOLS)) {
        const answer = await use(at, path).catch((error: unknown) => error)
        const what = `${tool} of ${name}`
        expect(answer, what).not.toHaveProperty('bytes')
        expect(JSON.stringify(answer), what).not.toContain('canary-of')
        expect(readFileSync(file, 'utf8'), what).toBe(`${CANARY}\n`)
      }
    }
  })

  test('the workspace is open, and logs may be read', async () => {
    const at = await bench(place)
    writeFiles(at.home, { 'logs/svc.log': 'started' })
    await call(at, 'write_file', { path: join(at.home, 'workspace/a/config.yaml'), content: 'mine' })
    expect((await call(at, 'read_file', { path: join(at.home, 'workspace/a/config.yaml') })).text).toBe('1\tmine')
    expect((await call(at, 'read_file', { path: join(at.home, 'logs/svc.log') })).text).toBe('1\tstarted')
    const writing = call(at, 'write_file', { path: join(at.home, 'logs/svc.log'), content: '' })
    await expect(writing).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
  })

  test('names of closed files are not listed', async () => {
    const at = await bench(place)
    await expect(call(at, 'list_files', { path: at.home })).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
    const above = await call(at, 'list_files', { path: dirname(at.home), depth: 5 }).catch(String)
    expect(JSON.stringify(above)).not.toMatch(/undo\.key|auth\.json/)
  })
})

test('a hard link to a secret of svc is not read', async () => {
  const at = await bench('a folder elsewhere')
  for (const name of ['.env', 'data/config/undo.key', 'auth.json'])
    linkSync(join(at.home, name), join(at.project, `${name.replaceAll('/', '-')}.txt`))
  for (const name of ['.env.txt', 'data-config-undo.key.txt', 'auth.json.txt']) {
    const reading = call(at, 'read_file', { path: name })
    await expect(reading, name).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
  }
  const found = await call(at, 'search_files', { pattern: 'canary' })
  expect(found.text).not.toContain('canary-of')
})

test('a file with two harmless names is read', async () => {
  const at = await bench('a folder elsewhere')
  writeFiles(at.project, { 'a.txt': 'plain' })
  linkSync(join(at.project, 'a.txt'), join(at.project, 'b.txt'))
  expect((await call(at, 'read_file', { path: 'b.txt' })).text).toBe('1\tplain')
})

test('passwords of the machine are not read, not even by root, and the root of a process is no way around', async () => {
  const at = await bench('a folder elsewhere')
  for (const path of [
    '/etc/shadow',
    '/proc/self/root/etc/shadow',
    '/proc/self/environ',
    '/proc/self/fd/1',
    '/proc/1/mem',
  ]) {
    const reading = await call(at, 'read_file', { path }).catch(({ code }: { code: string }) => code)
    expect(['FILE_PROTECTED', 'FILE_NOT_FOUND', 'FILE_NOT_REGULAR'], `${path} as ${userInfo().username}`).toContain(
      reading,
    )
  }
})

test('a folder that a plugin opened is read, and a plugin cannot open the home', async () => {
  const home = temporaryFolder()
  const project = temporaryFolder()
  writeFiles(home, { 'data/pager/1.txt': 'page one', 'data/config/undo.key': CANARY })
  const kernel = await testKernel({
    plugins: ['tool-files'],
    home,
    with: [
      {
        name: 'pager',
        setup(ctx) {
          ctx.add(ReadableFolders, { name: 'pager', path: ctx.dataDir })
          ctx.add(ReadableFolders, { name: 'greedy', path: home })
          ctx.add(ReadableFolders, { name: 'greedier', path: dirname(home) })
        },
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  const at = { kernel, home, project }
  expect((await call(at, 'read_file', { path: join(home, 'data/pager/1.txt') })).text).toBe('1\tpage one')
  const writing = call(at, 'write_file', { path: join(home, 'data/pager/1.txt'), content: '' })
  await expect(writing).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
  const reading = call(at, 'read_file', { path: join(home, 'data/config/undo.key') })
  await expect(reading).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
})

test('the usual home of the user is closed although SVC_HOME is another one', async () => {
  const { homes } = await findPlaces({ root: '/srv/other', dir: '/srv/other/profiles/a' }, undefined)
  expect(homes).toEqual(['/srv/other', '/srv/other/profiles/a', join(realpathSync(homedir()), '.svc')])
})
