/** What the build leaves out of libraries and of the bundler's helpers, so that a start neither reads nor makes it. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
/** The native code of better-sqlite3 12. */
export const sqlite = 'better-sqlite3/build/Release/better_sqlite3.node'

/**
 * Libraries without what is not used: awilix brings a file finder, zod fifty languages of messages, better-sqlite3 12 a
 * search for its native code (the code of 13 fits its own JavaScript only, so that package is required whole). zod also would write and compile code for each schema, which pays off after thousands of
 * values, and look for circles in each schema and value: ours have none.
 */
export function tune(hooks) {
  hooks.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
    contents: 'export { default as en } from "./en.js"',
  }))
  hooks.onResolve({ filter: /^fast-glob$/ }, () => ({ path: 'fast-glob', namespace: 'left-out' }))
  hooks.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'export default {}' }))
  hooks.onResolve({ filter: /^better-sqlite3$/ }, ({ path, namespace }) =>
    namespace === 'sqlite' ? { path, external: true } : { path, namespace: 'sqlite' },
  )
  hooks.onResolve({ filter: /^better-sqlite3\/lib$/ }, () => ({
    path: resolve('node_modules/better-sqlite3/lib/index.js'),
  }))
  hooks.onLoad({ filter: /.*/, namespace: 'sqlite' }, () => ({
    contents: `const isVersion12 = () => { try { return require.resolve('${sqlite}') } catch { return undefined } }
module.exports = isVersion12() ? require('better-sqlite3/lib') : require('better-sqlite3')`,
    resolveDir: root,
  }))
  hooks.onResolve({ filter: /^bindings$/ }, () => ({ path: 'bindings', namespace: 'bindings' }))
  hooks.onLoad({ filter: /.*/, namespace: 'bindings' }, () => ({
    contents: `module.exports = () => require('${sqlite}')`,
    resolveDir: root,
  }))
  const settings =
    '{ jitless: true, memoizer: { attach() {}, guard() {}, alloc: (_schema, _payload, empty) => empty } }'
  hooks.onLoad({ filter: /zod[\\/]v4[\\/]classic[\\/]external\.js$/, namespace: 'file' }, async ({ path }) => ({
    contents: `import { config as tune } from '../core/index.js'\ntune(${settings})\nexport { ${await usedOfZod()} } from 'whole:zod'`,
    resolveDir: dirname(path),
  }))
  hooks.onResolve({ filter: /^whole:zod$/ }, ({ resolveDir }) => ({
    path: relative(root, join(resolveDir, 'external.js')),
    namespace: 'whole',
    sideEffects: false,
  }))
  hooks.onLoad({ filter: /.*/, namespace: 'whole' }, ({ path }) => ({
    contents: readFileSync(resolve(path), 'utf8'),
    resolveDir: resolve(dirname(path)),
  }))
}

/** An object with a property for each of its 258 names takes time to make at every start; we use about thirty. */
async function usedOfZod() {
  const { z } = await import('zod')
  const files = ['kernel', 'home', 'loader', 'program', 'sdk', 'plugins'].flatMap((dir) =>
    readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((file) => join(dir, file)),
  )
  const texts = files.filter((file) => file.endsWith('.ts')).map((file) => readFileSync(file, 'utf8'))
  const used = new Set(texts.flatMap((text) => [...text.matchAll(/\bz\.(\w+)/g)].map(([, name]) => name)))
  // Of `core` only types are used.
  return [...used].filter((name) => name in z && name !== 'core').join(', ')
}

/**
 * Files apart without what is not used: the router of HTTP has compilers of schemas (see plugins/http/http/listener.ts) and
 * requests for tests; both it and the reader of mailboxes have a logger, which is switched off. The tables of Japanese
 * encodings take 7 MiB: they are evaluated for the first text that needs them.
 */
export function leaveOut(hooks) {
  const unused = /^(@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|light-my-request)$/
  hooks.onResolve({ filter: unused }, ({ path }) => ({ path, namespace: 'left-out' }))
  hooks.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = undefined' }))
  hooks.onResolve({ filter: /^pino$/ }, () => ({ path: resolve('.ci/no-logger.cjs') }))
  const late = 'encoding-japanese'
  hooks.onResolve({ filter: new RegExp(`^${late}$`) }, ({ path, namespace }) =>
    namespace === 'late' ? undefined : { path, namespace: 'late' },
  )
  hooks.onLoad({ filter: /.*/, namespace: 'late' }, () => ({
    contents: `exports.convert = (...given) => require('${late}').convert(...given)`,
    resolveDir: root,
  }))
}

/**
 * The bundler copies every module that is asked for by name into another object, property by property. Here each is
 * given as it is: a module of ours has getters for what it exports already, and others become a prototype.
 */
export function cheaper(text) {
  const helpers = [
    ['for(let key of __getOwnPropNames(from))', 'for(let key in from)'],
    ['__toCommonJS=mod=>__copyProps(__defProp({},"__esModule",{value:!0}),mod)', '__toCommonJS=mod=>mod'],
    [
      '__toESM=(mod,isNodeMode,target)=>(target=mod!=null?__create(__getProtoOf(mod)):{},__copyProps(isNodeMode||!mod||!mod.__esModule?__defProp(target,"default",{value:mod,enumerable:!0}):target,mod))',
      '__toESM=(mod,isNodeMode)=>!isNodeMode&&mod.__esModule?mod:__create(mod,{default:{value:mod,enumerable:!0}})',
    ],
  ]
  return helpers.reduce((given, [helper, instead]) => {
    // Lines are broken between any two words, and names that a module has, too, get a number.
    const words = helper.match(/\w+|=>|\W/g).map((word) => (/^\w/.test(word) ? word : `\\${[...word].join('\\')}`))
    const pattern = new RegExp(words.map((word) => (/^(mod|target)$/.test(word) ? `${word}\\d*` : word)).join('\\s*'))
    const made = given.replace(pattern, instead)
    const name = helper.slice(0, helper.indexOf('='))
    if (made === given && given.includes(`${name}=`)) throw new Error(`esbuild has another ${name} than this expects`)
    return made
  }, text)
}
