import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../support/model-server.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'

const bin = join(root, 'dist/kernel/bin.cjs')

test('a person brings hooks of another agent along: one guards commands, a project’s ask for consent, and all can be tried', async () => {
  const folder = temporaryFolder()
  const [home, work] = [join(folder, 'home'), join(folder, 'work')]
  for (const path of [home, join(work, '.svc')]) mkdirSync(path, { recursive: true })
  const file = { id: 'call_1', name: 'write_file', arguments: JSON.stringify({ path: 'a.txt', content: 'hello\n' }) }
  const server = await startModelServer({
    replies: ({ body }) => {
      const messages = body['messages'] as { role: string; content: string }[]
      return messages.at(-1)?.role === 'tool' ? `it said: ${messages.at(-1)?.content}` : { calls: [file] }
    },
  })
  onTestFinished(() => server.close())
  writeFileSync(
    join(home, 'config.yaml'),
    `model: { provider: custom, base_url: ${server.url}, default: fake-model }
hooks:
  confine: off
  PreToolUse:
    - matcher: Write|Edit
      hooks:
        - type: command
          command: cat > ${folder}/told.json; test -e ${folder}/closed || exit 0; echo "files are closed today" >&2; exit 2
`,
  )
  writeFileSync(
    join(work, '.svc/hooks.yaml'),
    'hooks: { Stop: [{ hooks: [{ type: command, command: "echo >> ../stopped" }] }] }\n',
  )
  const svc = (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, SVC_HOME: home, CUSTOM_API_KEY: 'sk-0123456789abcdef' }
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [bin, ...args], { env, cwd: work }, (error, out, err) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err })
      })
      child.stdin?.end()
    })
  }
  const first = await svc('chat', '-q', 'write it')
  expect(first.out).not.toContain('closed')
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('hello\n')
  const told = JSON.parse(readFileSync(join(folder, 'told.json'), 'utf8'))
  expect(told).toMatchObject({ tool_name: 'Write', tool_input: { file_path: join(work, 'a.txt'), content: 'hello\n' } })
  writeFileSync(join(folder, 'closed'), '')
  expect((await svc('chat', '-q', 'write it again')).out).toContain('files are closed today')

  const listed = JSON.parse((await svc('hooks', 'list', '--json')).out)
  expect(listed).toMatchObject({
    project: { state: 'untrusted' },
    hooks: [{ event: 'PreToolUse' }, { inactive: 'untrusted' }],
  })
  expect((await svc('hooks', 'trust')).err).toContain('--yes')
  expect(await svc('hooks', 'trust', '--yes')).toMatchObject({ code: 0 })
  await svc('chat', '-q', 'once more')
  expect(readFileSync(join(folder, 'stopped'), 'utf8')).toBe('\n')
  const tried = await svc('hooks', 'test', 'PreToolUse#1', '--json')
  expect(JSON.parse(tried.out)).toMatchObject({
    results: [{ code: 2, decision: 'deny', stderr: 'files are closed today\n' }],
  })
  expect((await svc('hooks', 'test', 'Nothing')).err).toContain('PreToolUse')
}, 180_000)
