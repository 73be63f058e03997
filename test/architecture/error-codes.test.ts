import { expect, test } from 'vitest'
import { errorCatalogs } from '../support/error-codes.ts'
import { findPlugin, pluginFolder, rooms, sourcesBelow } from '../support/repository.ts'
import { findCalls, getArguments, getLineNumber, literal, source, walk } from '../support/syntax.ts'

const catalogs = await errorCatalogs()
const kernelCodes = Object.keys(catalogs.get('kernel') ?? {})

/** Sources of an owner; the sdk's few errors are the kernel's. */
function listSources(owner: string): string[] {
  const folders = owner === 'kernel' ? [...rooms, 'sdk'] : [pluginFolder(owner)]
  return sourcesBelow(...folders).filter((file) => !file.endsWith('/errors.ts') || file.startsWith('sdk/'))
}

function getOwner(file: string): string {
  return findPlugin(file) ?? 'kernel'
}

test('every error that is thrown has a code that its owner documents', () => {
  const strange = sourcesBelow(...rooms, 'sdk', 'plugins').flatMap((file) => {
    const known = [...kernelCodes, ...Object.keys(catalogs.get(getOwner(file)) ?? {})]
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
