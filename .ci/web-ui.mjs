/**
 * Builds the web UI: `app` of the plugin `web-ui` becomes `web-ui` of `dist`, with names that change with the contents and the
 * integrity of each file. Colours and texts come from the plugins of the terminal. Alone: `node .ci/web-ui.mjs FOLDER`.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
const app = join(root, 'plugins/dashboard/web-ui/app')
const languages = join(root, 'plugins/configuration/language')
const display = join(root, 'plugins/terminal-ui/display')

/** Writes the files of the web UI to `outdir`. */
export async function buildWebUi(outdir) {
  mkdirSync(outdir, { recursive: true })
  const skins = await readSkins()
  const { metafile } = await build({
    entryPoints: [
      { in: join(app, 'main.tsx'), out: 'main' },
      { in: join(app, 'frame/frame.ts'), out: 'frame' },
    ],
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome115', 'firefox120', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    outdir: join(outdir, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [{ name: 'terminal', setup: (hooks) => shareWithTerminal(hooks, skins) }],
  })
  const outputs = Object.entries(metafile.outputs).map(([file, output]) => ({
    file: `assets/${file.split('/assets/').at(-1)}`,
    path: resolve(root, file),
    ...output,
  }))
  const integrity = Object.fromEntries(outputs.map(({ file, path }) => [file, hash(path)]))
  const find = (entry) => outputs.find(({ entryPoint }) => entryPoint?.endsWith(`/${entry}`))
  const main = find('main.tsx')
  const frame = find('frame/frame.ts')
  const first = listFirst(main, outputs)
  // Modules that are loaded later have no element that could name their integrity. A frame of a plugin has an import map of its own.
  const later = Object.fromEntries(
    outputs
      .filter(({ file, entryPoint }) => file.endsWith('.js') && entryPoint !== frame.entryPoint)
      .map(({ file }) => [`./${file}`, integrity[file]]),
  )
  const map = `<script type="importmap" nonce="%NONCE%">${JSON.stringify({ integrity: later })}</script>`
  writePage('index.html', [map, ...formatTags(main, first, integrity)])
  writePage('frame/frame.html', formatTags(frame, listFirst(frame, outputs), integrity))
  for (const file of ['icon.svg', 'manifest.webmanifest']) copyFileSync(join(app, file), join(outdir, file))
  const files = { first: [main.file, ...first], styles: [asset(main.cssBundle)], integrity }
  writeFileSync(join(outdir, 'files.json'), JSON.stringify(files))

  function writePage(file, tags) {
    const page = readFileSync(join(app, file), 'utf8').replace('<!-- assets -->', tags.join('\n    '))
    writeFileSync(join(outdir, basename(file)), page)
  }
}

/** The elements that load a page: its style sheet, what its module imports, and the module. */
function formatTags({ file, cssBundle }, first, integrity) {
  const style = asset(cssBundle)
  return [
    `<link rel="stylesheet" href="${style}" integrity="${integrity[style]}" crossorigin />`,
    ...first.map((each) => `<link rel="modulepreload" href="${each}" integrity="${integrity[each]}" crossorigin />`),
    `<script type="module" src="${file}" integrity="${integrity[file]}" crossorigin></script>`,
  ]
}

/** What the first load needs besides the entry: modules that are imported and not asked for later. */
function listFirst(main, outputs) {
  const found = new Set()
  const follow = ({ imports }) => {
    for (const { path, kind } of imports) {
      const file = asset(path)
      if (kind !== 'import-statement' || found.has(file)) continue
      found.add(file)
      follow(outputs.find((each) => each.file === file))
    }
  }
  follow(main)
  return [...found]
}

const asset = (path) => `assets/${path.split('/assets/').at(-1)}`

function hash(path) {
  return `sha384-${createHash('sha384').update(readFileSync(path)).digest('base64')}`
}

/** The skins as the terminal has them. */
async function readSkins() {
  const contents = `export { builtInSkins, builtInSkin } from './skins.ts'`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: display, sourcefile: 'skins.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
    logLevel: 'warning',
  })
  const source = `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`
  const { builtInSkins, builtInSkin } = await import(source)
  return builtInSkins.map(({ name }) => builtInSkin(name))
}

function shareWithTerminal(hooks, skins) {
  const make = (filter, load) => {
    hooks.onResolve({ filter }, ({ path }) => ({ path, namespace: 'terminal' }))
    hooks.onLoad({ filter, namespace: 'terminal' }, load)
  }
  make(/^svc:skins$/, () => ({
    contents: `export const skins = ${JSON.stringify(skins.map(({ name, description, light }) => ({ name, description, light })))}`,
  }))
  make(/^svc:skins\.css$/, () => ({ contents: formatSkins(skins), loader: 'css' }))
  make(/^svc:message$/, () => ({
    contents: `export { formatMessage } from '${join(languages, 'message.ts')}'`,
    resolveDir: root,
  }))
  // Of the SDK the formatter takes the class of its errors.
  make(/^svc\/sdk$/, () => ({
    contents: `export class SvcError extends Error {
  constructor(code, message) { super(message); this.code = code }
}`,
  }))
  make(/^svc:locales$/, () => ({ contents: formatLocales(), resolveDir: root }))
  make(/^svc:texts\/[\w-]+$/, ({ path }) => ({
    contents: `export default ${JSON.stringify(readTexts(path.slice('svc:texts/'.length), listTexts()))}`,
  }))
}

/** Custom properties of each skin. Without a choice: that of the system, dark or light. */
function formatSkins(skins) {
  const rule = (selector, { light, colors }) => {
    const scheme = `color-scheme:${light ? 'light' : 'dark'};--light:${light ? 1 : 0}`
    const roles = Object.entries(colors).flatMap(([role, { color, background }]) => [
      ...(color ? [`--${role}:${color}`] : []),
      ...(background ? [`--${role}-bg:${background}`] : []),
    ])
    return `${selector}{${[scheme, ...roles].join(';')}}`
  }
  const dark = skins.find(({ name }) => name === 'default')
  const light = skins.find(({ name }) => name === 'daylight')
  return [
    rule(':root', dark),
    `@media (prefers-color-scheme: light){${rule(':root:not([data-skin])', light)}}`,
    ...skins.map((skin) => rule(`:root[data-skin="${skin.name}"]`, skin)),
    ...skins.map((skin) => rule(`[data-swatch="${skin.name}"]`, skin)),
  ].join('\n')
}

/** All texts of the app: the first argument of `t`. */
export function listTexts() {
  const files = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  const found = new Set()
  for (const file of files)
    for (const [, , text] of readFileSync(join(app, file), 'utf8').matchAll(
      /\b(?:t|msg)\(\s*(['"])((?:\\.|(?!\1).)*)\1/g,
    ))
      found.add(text.replace(/\\(.)/g, '$1'))
  return found
}

/** Those of the terminal's catalogue that the app has, and its own. */
function readTexts(locale, wanted) {
  const tables = [join(languages, `locales/${locale}.json`), join(app, `locales/${locale}.json`)]
  const known = Object.assign({}, ...tables.filter(existsSync).map((file) => JSON.parse(readFileSync(file, 'utf8'))))
  return Object.fromEntries(Object.entries(known).filter(([text]) => wanted.has(text)))
}

function formatLocales() {
  const source = readFileSync(join(languages, 'locales.ts'), 'utf8')
  const listed = [...source.matchAll(/^ {2}'?([\w-]+)'?: \{ label: '([^']+)'/gm)].map(([, locale, label]) => ({
    locale,
    label,
  }))
  const all = [...listed, { locale: 'ar', label: 'العربية' }]
  const item = ({ locale, label }) => {
    const load = locale === 'en' ? '' : `, load: () => import('svc:texts/${locale}')`
    return `{ locale: '${locale}', label: ${JSON.stringify(label)}${load} }`
  }
  return `export const locales = [${all.map(item).join(',')}]`
}

if (process.argv[1] === import.meta.filename) {
  const outdir = resolve(process.argv[2] ?? 'dist/web-ui')
  await buildWebUi(outdir)
}
