/** What comes along with svc is held to what is asked of others. */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillScanner } from 'svc/sdk/skills'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { root } from '../../../support/repository.ts'

const folders = readdirSync(join(root, 'builtin-skills'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('SKILL.md'))
  .map((path) => join(root, 'builtin-skills', dirname(path)))

test('every built-in skill passes the scan that skills of others have to pass', async () => {
  await using kernel = await testKernel({ plugins: ['skill-scan'] })
  const scanner = kernel.use(SkillScanner)
  const found: string[] = []
  for (const folder of folders) {
    const { verdict, findings } = await scanner.scan(folder)
    if (verdict !== 'safe')
      found.push(`${folder}: ${findings.map(({ rule, path }) => `${rule} in ${path}`).join(', ')}`)
  }
  expect(folders.length).toBeGreaterThan(30)
  expect(found).toEqual([])
})
