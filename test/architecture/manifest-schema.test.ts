import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { manifestProblem } from '../../loader/manifest.ts'
import { manifestSchema } from '../support/docs/manifest-schema.ts'
import { exists, filesBelow, manifests, read, root } from '../support/repository.ts'

const PATH = 'sdk/plugin.schema.json'

test('the JSON Schema of plugin.json says what the interface and its comments say', () => {
  const text = `${JSON.stringify(manifestSchema(), undefined, 2)}\n`
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(root, PATH), text)
  expect(exists(PATH) ? JSON.parse(read(PATH)) : undefined).toEqual(JSON.parse(text))
})

/** As an editor checks it. */
const check = (schema: object) => z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])

test('every manifest of a plugin and an example fits the JSON Schema', () => {
  const schema = manifestSchema() as { readonly properties: object }
  // `permanent` is for built-in plugins only.
  const ofAll = check({ ...schema, properties: { ...schema.properties, permanent: { type: 'boolean' } } })
  const examples = filesBelow('examples').filter((path) => path.endsWith('/plugin.json'))
  const all = [...manifests(), ...examples.map((path) => JSON.parse(read(path)))]
  const results = all.map((manifest) => [manifest.name, ofAll.safeParse(manifest).error?.issues])
  expect(results.filter(([, issues]) => issues !== undefined)).toEqual([])
})

test('the JSON Schema refuses what svc refuses', () => {
  const schema = check(manifestSchema())
  const basics = { name: 'a', version: '1.0.0', sdk: '*', kind: 'tool', description: 'x' }
  const judge = (part: object) => {
    const manifest = { ...basics, ...part }
    return [part, schema.safeParse(manifest).success, manifestProblem(manifest) === undefined]
  }
  const refused = [
    { wants: 'a' },
    { uses: { a: 1 } },
    { in: ['tui'] },
    { unknown: 1 },
    { contributes: ['a'] },
    { env: [{}] },
  ]
  for (const part of refused) expect(judge(part)).toEqual([part, false, false])
  const taken = [{ wants: { a: '^1' } }, { in: { tools: ['gateway'] } }, { dynamic: ['tools'] }, { 'x-own': {} }]
  for (const part of taken) expect(judge(part)).toEqual([part, true, true])
})
