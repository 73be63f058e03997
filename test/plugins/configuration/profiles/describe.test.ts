/** `svc profile describe`: what a model is told, what it may answer, and what it may not replace. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { MAX_DESCRIPTION, parseAnswer } from '../../../../plugins/configuration/profiles/describer.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

async function open(replies: readonly ScriptedReply[] | (() => ScriptedReply), config: object = {}) {
  const home = temporaryFolder()
  const skill = '---\nname: mail\ndescription: Sorts letters. Use it for mail.\n---\n'
  writeFiles(home, {
    'profiles/work/SOUL.md': `Be kind. ${'x'.repeat(3000)}END`,
    'profiles/work/skills/office/mail/SKILL.md': skill,
    'profiles/work/skills/broken/SKILL.md': 'no front matter',
    'profiles/work/.env': 'SECRET_TOKEN=tok-0123456789abcdef\n',
    'profiles/work/memories/USER.md': 'Likes tea.',
    'SOUL.md': 'The default one.',
  })
  const model = fakeProvider(replies)
  const kernel = await testKernel({
    ...{ plugins: ['profiles'], home, with: [model.plugin] },
    config: { model: { provider: 'fake', default: 'fake-1' }, ...config },
  })
  onTestFinished(() => kernel.stop())
  const describe = async (...argv: string[]) => await kernel.run(['profile', 'describe', ...argv])
  const read = (dir = 'profiles/work') => readFileSync(join(home, dir, 'profile.yaml'), 'utf8')
  return { home, model, describe, read }
}

test('a model writes it from the name, the identity and the skills, and another run may replace it', async () => {
  const { model, describe, read } = await open(['{"description": "Sorts mail."}', '```json\n{"description":"B"}\n```'])
  expect(JSON.parse((await describe('work', '--auto', '--json')).out)).toEqual({
    ...{ ok: true, profile: 'work', reason: null, description: 'Sorts mail.', description_auto: true },
  })
  const sent = JSON.stringify(model.requests.at(-1))
  for (const part of ['mail: Sorts letters.', 'broken', 'Be kind.']) expect(sent).toContain(part)
  for (const part of ['END', 'The default one', 'tok-0123', 'Likes tea']) expect(sent).not.toContain(part)
  expect(read()).toBe('description: Sorts mail.\ndescription_auto: true\n')
  expect((await describe('work')).out).toBe('Sorts mail. (written by a model)\n')
  expect((await describe('work', '--auto')).code).toBe(0)
  expect(read()).toContain('description: B\n')
})

test('a text of a person stays unless overwriting is asked for, and no model is asked in vain', async () => {
  const { model, describe, read } = await open(['{"description":"Model."}'])
  expect((await describe('work', '--text', ' Mine:\n two lines ')).code).toBe(0)
  const mine = read()
  expect(mine).toContain('Mine: two lines')
  expect(await describe('work', '--auto')).toMatchObject({ code: 1, err: expect.stringContaining('--overwrite') })
  expect([read(), model.requests.length]).toEqual([mine, 0])
  expect((await describe('work', '--auto', '--overwrite')).code).toBe(0)
  expect(read()).toBe('description: Model.\ndescription_auto: true\n')
})

test('a text that a person writes while the model works stays', async () => {
  let write = () => {}
  const { describe, home, read } = await open(() => {
    write()
    return '{"description":"Model."}'
  })
  write = () => writeFileSync(join(home, 'profiles/work/profile.yaml'), 'description: Mine.\n')
  expect((await describe('work', '--auto')).err).toContain('A person wrote the description')
  expect(read()).toBe('description: Mine.\n')
})

test('--all describes each in its own folder and leaves those of people', async () => {
  const { describe, read, home } = await open(['{"description":"One."}', '{"description":"Two."}'])
  writeFiles(home, { 'profiles/lab/profile.yaml': 'description: Mine.\n' })
  const { out, code } = await describe('--all', '--auto', '--json')
  const { results } = JSON.parse(out) as { results: readonly { profile: string; description: string }[] }
  expect(results.map(({ profile, description }) => [profile, description])).toEqual([
    ...[
      ['default', 'One.'],
      ['lab', 'Mine.'],
      ['work', 'Two.'],
    ],
  ])
  expect(code).toBe(0)
  expect([read('.'), read('profiles/lab')]).toEqual([
    'description: One.\ndescription_auto: true\n',
    'description: Mine.\n',
  ])
})

test('without an answer nothing is written, and what is wrong is said', async () => {
  const { describe, home } = await open(['{"description": 7}', ''])
  for (const reason of ['without a description', 'AUXILIARY_FAILED'])
    expect(await describe('work', '--auto')).toMatchObject({ code: 1, err: expect.stringContaining(reason) })
  expect(() => readFileSync(join(home, 'profiles/work/profile.yaml'))).toThrow('ENOENT')
  const words = [['--all'], ['work', '--all', '--auto'], ['work', '--auto', '--text', 'a']]
  for (const each of words) expect((await describe(...each)).err).toContain('svc profile describe --help')
  expect((await describe('nope', '--auto')).err).toContain('PROFILE_NOT_FOUND')
})

test.for([
  ['{"description":" A\\nb "}', 'A b'],
  ['Just text.\n\nMore.', 'Just text.'],
  ['{"description":', '{"description":'],
  ['[1]', ''],
  ['null', 'null'],
  ['\u001b[31mred', '[31mred'],
  ['', ''],
] as const)('an answer %j becomes %j', ([text, expected]) => {
  expect(parseAnswer(text)).toBe(expected)
})

test('a long answer is cut between characters', () => {
  const cut = [...parseAnswer('😀'.repeat(400))]
  expect([cut.length, cut.at(-2), cut.at(-1)]).toEqual([MAX_DESCRIPTION, '😀', '…'])
})
