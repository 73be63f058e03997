import { expect, test } from 'vitest'
import { errorCatalogs } from '../support/error-codes.ts'
import { findPlugin, pluginFolder, rooms, sourcesBelow } from '../support/repository.ts'
import { findCalls, getArguments, getLineNumber, literal, source, walk } from '../support/syntax.ts'

const catalogs = await errorCatalogs()
/** Owners besides plugins. Plugins and the SDK may throw the codes of all, a room those of itself and of those before it. */
const owners = ['sdk', ...rooms]

const listCodes = (names: readonly string[]) => names.flatMap((name) => Object.keys(catalogs.get(name) ?? {}))

function listSources(owner: string): string[] {
  const files = sourcesBelow(owners.includes(owner) ? owner : pluginFolder(owner))
  return files.filter((file) => file !== 'sdk/error-codes.ts' && (!file.endsWith('/errors.ts') || owner === 'sdk'))
}

function listKnown(file: string): string[] {
  const [top = ''] = file.split('/')
  const plugin = findPlugin(file)
  const isRoom = rooms.some((room) => room === top)
  return listCodes([...owners.slice(0, isRoom ? owners.indexOf(top) + 1 : undefined), ...(plugin ? [plugin] : [])])
}

test('every error that is thrown has a code that its owner documents', () => {
  const strange = sourcesBelow(...rooms, 'sdk', 'plugins').flatMap((file) => {
    const known = listKnown(file)
    return findCalls(source(file), ['SvcError']).flatMap((call) => {
      const code = literal(getArguments(call)[0])
      const place = `${file}:${getLineNumber(source(file).text, call.start)}`
      return code === undefined || known.includes(code) ? [] : [`${place} throws ${code}, which no errors.ts has`]
    })
  })
  expect(strange).toEqual([])
})

test('every documented code is used by its owner', () => {
  const unused = [...catalogs].flatMap(([owner, catalog]) => {
    const texts = listSources(owner).flatMap((file) => [...walk(source(file).tree)].map(({ node }) => literal(node)))
    return Object.keys(catalog)
      .filter((code) => !texts.includes(code))
      .map((code) => `${owner}: ${code}`)
  })
  expect(unused).toEqual([])
})

test('a code belongs to one owner', () => {
  const all = [...catalogs].flatMap(([owner, catalog]) => Object.keys(catalog).map((code) => ({ owner, code })))
  const twice = all.filter(({ owner, code }) => all.some((other) => other.code === code && other.owner !== owner))
  expect(twice).toEqual([])
})

test('a code is in capitals and its sentence says enough to act on', () => {
  const bad = [...catalogs].flatMap(([owner, catalog]) => {
    return Object.entries(catalog)
      .filter(
        ([code, text]) =>
          !/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(code) || !/^([A-Z`]|svc |config\.yaml ).{25,}[.!]$/s.test(text),
      )
      .map(([code, text]) => `${owner}: ${code}: ${text}`)
  })
  expect(bad).toEqual([])
})
