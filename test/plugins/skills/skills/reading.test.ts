/** SKILL.md and the files of a skill, good ones and others. */
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findEnvironments } from '../../../../plugins/skills/skills/environments.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { open, skillText, write } from './stage.ts'

test('a folder in the public format is read with all that it says', async () => {
  const { skills, home } = await open({
    files: {
      'skills/ops/sms/SKILL.md': `\ufeff---\r
name: sms\r
description: >\r
  Send a text message.\r
  Use when somebody has to be told.\r
version: 1.2\r
license: MIT\r
platforms: [macos, darwin, linux, windows]\r
prerequisites: { commands: [curl], env_vars: [TWILIO_ACCOUNT_SID] }\r
required_environment_variables:\r
  - { name: TWILIO_AUTH_TOKEN, prompt: The token, help: https://example.com }\r
  - { name: TWILIO_PHONE_NUMBER, optional: true }\r
metadata:\r
  svc:\r
    tags: [phone]\r
    related_skills: [call]\r
    requires_tools: [terminal]\r
    config: [{ key: sms.country, description: The country, default: CH }]\r
---\r
\r
# Send\r
`,
    },
  })
  expect(await skills.find('SMS')).toEqual({
    name: 'sms',
    description: 'Send a text message. Use when somebody has to be told.',
    version: '1.2',
    license: 'MIT',
    tags: ['phone'],
    relatedSkills: ['call'],
    conditions: { platforms: ['macos', 'macos', 'linux', 'windows'], requiresTools: ['terminal'] },
    variables: [
      { name: 'TWILIO_AUTH_TOKEN', prompt: 'The token', help: 'https://example.com' },
      { name: 'TWILIO_PHONE_NUMBER', optional: true },
      { name: 'TWILIO_ACCOUNT_SID' },
    ],
    commands: ['curl'],
    credentialFiles: [],
    settings: [{ key: 'sms.country', description: 'The country', default: 'CH' }],
    category: 'ops',
    folder: join(home, 'skills/ops/sms'),
    origin: 'user',
    trust: 'user',
    isDisabled: false,
  })
  const { text, missing } = await skills.read('sms')
  expect(text).toMatch(/^# Send\n\nSettings, .*\n- sms\.country: "CH" \(The country\)\n$/)
  expect(missing).toEqual(['TWILIO_AUTH_TOKEN', 'TWILIO_ACCOUNT_SID', 'curl'])
})

test.for([
  ['no front matter', 'Just text', 'must begin with front matter'],
  ['front matter that does not end', '---\nname: a\n', 'must begin with front matter'],
  ['front matter that is not YAML', '---\nname: [a\n---\n', 'is not YAML'],
  ['front matter that is a list', '---\n- a\n---\n', 'must hold keys and values'],
  ['front matter that grows', `---\na: &a [x,x]\nb: &b [${'*a,'.repeat(60)}]\n---\n`, 'is not YAML'],
  ['no description', '---\nname: broken\n---\nText', 'has no description'],
  ['a description that is too long', skillText('broken', 'x'.repeat(1025)), '1025 characters'],
  ['a description with hidden characters', skillText('broken', 'Good\u200b thing'), 'cannot be seen'],
  ['a name without letters', skillText('"+++"', 'd'), 'the name must have'],
  ['a name that is too long', skillText('n'.repeat(65), 'd'), 'the name must have'],
  ['a text that is too long', skillText('broken', 'd', 'x'.repeat(100_001)), 'the most is 100000'],
  ['bytes that are no text', `---\nname: broken\ndescription: d\n---\n\0`, 'is not a text'],
] as const)('%s is a problem with a reason, and hides no other skill', async ([, text, reason]) => {
  const { skills } = await open({
    files: { 'skills/broken/SKILL.md': text, 'skills/good/SKILL.md': skillText('good', 'd') },
  })
  expect((await skills.list()).map(({ name }) => name)).toEqual(['good'])
  expect(await skills.problems()).toEqual([
    { folder: expect.stringMatching(/skills[/\\]broken$/), reason: expect.stringContaining(reason) },
  ])
})

test('a folder that is not installed is inspected: its files, its hash and what its author should mend', async () => {
  const { skills } = await open()
  const folder = write(temporaryFolder(), {
    'SKILL.md': skillText('PDF Tools', 'Reads PDF files'),
    'scripts/read.py': 'print(1)',
    '.git/config': 'not part of it',
  })
  const first = await skills.inspect(folder)
  expect(first.header.name).toBe('pdf-tools')
  expect(first.files.map(({ path }) => path)).toEqual(['SKILL.md', 'scripts/read.py'])
  expect(first.hash).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(first.warnings).toEqual(['the name "PDF Tools" is read as pdf-tools'])
  writeFileSync(join(folder, 'scripts/read.py'), 'print(2)')
  expect((await skills.inspect(folder)).hash).not.toBe(first.hash)
})

test('links out of a folder, too many files and too large ones are refused', async () => {
  const { skills } = await open()
  const make = () => write(temporaryFolder(), { 'SKILL.md': skillText('a', 'd') })
  const linked = make()
  symlinkSync('/etc/hosts', join(linked, 'hosts'))
  await expect(skills.inspect(linked)).rejects.toThrow('the link hosts leads out of the folder')
  const many = make()
  for (let at = 0; at < 1001; at++) writeFileSync(join(many, `f${at}`), '')
  await expect(skills.inspect(many)).rejects.toThrow('more than 1000 files')
  const large = make()
  for (let at = 0; at < 11; at++) writeFileSync(join(large, `f${at}`), Buffer.alloc(2 ** 20))
  await expect(skills.inspect(large)).rejects.toThrow('more than 10 MiB')
  await expect(skills.inspect(join(large, 'absent'))).rejects.toMatchObject({ code: 'SKILL_INVALID' })
})

test('a file of a skill is read, and none outside of its folder', async () => {
  const { skills, home } = await open({
    files: {
      'skills/a/SKILL.md': skillText('a', 'd', 'See ${SKILL_DIR}/x and ${CLAUDE_SKILL_DIR}, ${SESSION_ID} ${HOME}'),
      'skills/a/references/api.md': 'The API',
      'config.yaml': '# secret',
    },
  })
  expect((await skills.read('a', { path: 'references/api.md' })).text).toBe('The API')
  const dir = join(home, 'skills/a')
  expect((await skills.read('a', { sessionId: 's1' })).text.trim()).toBe(`See ${dir}/x and ${dir}, s1 \${HOME}`)
  for (const path of ['../../config.yaml', '/etc/hosts', 'references/../../b', '.', 'a\0b'])
    await expect(skills.read('a', { path })).rejects.toThrow('leads out of its folder')
  await expect(skills.read('a', { path: 'absent.md' })).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' })
  await expect(skills.read('a', { path: 'references' })).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' })
  symlinkSync(join(home, 'config.yaml'), join(dir, 'link.md'))
  await expect(skills.read('a', { path: 'link.md' })).rejects.toThrow('leads out of its folder')
  await expect(skills.read('absent')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' })
})

test('a second start reads no SKILL.md that is as it was, and every one that is not', async () => {
  const files = { 'skills/a/SKILL.md': skillText('a', 'first'), 'skills/b/SKILL.md': skillText('b', 'first') }
  const { kernel, home } = await open({ files })
  await kernel.stop()
  // The content changes and the state of the file does not: what is told then is what was kept.
  const unseen = join(home, 'skills/a/SKILL.md')
  const before = readFileSync(unseen, 'utf8')
  writeFileSync(unseen, before.replace('first', 'other'))
  utimesSync(unseen, 1_600_000_000, 1_600_000_000)
  const again = await open({ home, files: {} })
  expect((await again.skills.find('a'))?.description).toBe('other')
  await again.kernel.stop()
  writeFileSync(unseen, before)
  utimesSync(unseen, 1_600_000_000, 1_600_000_000)
  const third = await open({ home, files: {} })
  expect((await third.skills.find('a'))?.description).toBe('other')
  expect((await third.skills.find('b'))?.description).toBe('first')
})

test('what was kept and cannot be read is read from the files again', async () => {
  const { kernel, home } = await open({ files: { 'skills/a/SKILL.md': skillText('a', 'd') } })
  await kernel.stop()
  const kept = join(home, 'data/skills/headers.json')
  writeFileSync(kept, '{"version":1,"known":[["')
  const again = await open({ home, files: {} })
  expect((await again.skills.list()).map(({ name }) => name)).toEqual(['a'])
})

test('a home whose skills are a file, or that has none, has no skills', async () => {
  const { skills } = await open({ files: { skills: 'a file' } })
  expect(await skills.list()).toEqual([])
  mkdirSync(join(temporaryFolder(), 'x'))
  const empty = await open()
  expect(await empty.skills.list()).toEqual([])
})

test('a skill for an environment is offered in it alone, and files with credentials that are not there are named', async () => {
  const more = 'environments: [kanban]\nrequired_credential_files: [keys/one.json, { path: keys/two.json }]\n'
  const files = {
    'skills/board/SKILL.md': skillText('board', 'Works on tasks.', 'Do it.', more),
    'skills/moon/SKILL.md': skillText('moon', 'Works on the moon.', 'Do it.', 'environments: [moon]\n'),
    'keys/two.json': '{}',
  }
  const alone = await open({ files })
  const find = async (stage: typeof alone, name: string) => stage.skills.find(name)
  expect(await find(alone, 'board')).toMatchObject({ unavailable: 'only in kanban' })
  expect(await find(alone, 'moon')).toMatchObject({ unavailable: 'for an environment that is not known' })
  const worker = await open({ files, env: { SVC_KANBAN_TASK: 't_1' } })
  expect((await find(worker, 'board'))?.unavailable).toBeUndefined()
  expect((await worker.skills.read('board')).missing).toEqual(['keys/one.json'])
  expect(
    findEnvironments(
      () => undefined,
      (path) => path === '/run/.containerenv',
    ),
  ).toEqual(['docker'])
  expect(
    findEnvironments(
      () => undefined,
      (path) => path === '/run/s6',
    ),
  ).toEqual(['s6'])
})
