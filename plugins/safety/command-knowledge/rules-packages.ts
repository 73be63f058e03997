/** Interpreters and package managers, and the scripts that they run. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { readCall } from './call.ts'
import { type Invocation, type Outcome, same } from './outcome.ts'
import { findKnown } from './programs.ts'
import { registryHost } from './remotes.ts'
import type { Argument } from './values.ts'
import type { Walk } from './walk.ts'

export const rest = (call: Invocation) => call.args.slice(readCall(call.known, call.args, 'operand').end)

export function interpreter(walk: Walk, call: Invocation): Outcome {
  const { given, state, known } = call
  for (const name of ['--import', '--require', '-r', '--loader'])
    for (const value of given.get(name) ?? [])
      if (
        !/^(?:tsx(?:\/(?:esm|cjs))?|ts-node\/(?:register|esm)|esbuild-register|@swc-node\/register|dotenv\/config|source-map-support\/register|@babel\/register)$/.test(
          value,
        )
      )
        walk.refuse(`the option ${name} of ${known.name}`)
  const words = rest(call)
  const [file, ...args] = /^(?:tsx|esno)$/.test(known.name) && words[0]?.text === 'watch' ? words.slice(1) : words
  if (!file) {
    const isQuestion = [...given.keys()].some((name) =>
      /^(?:-v|-V|-h|--version|--help|--test|--v8-options)$/.test(name),
    )
    if (!isQuestion) walk.refuse(`code that ${known.name} reads`)
    return same(state)
  }
  if (given.has('--test')) walk.checkAll('arg', [file, ...args], state)
  else if (file.text === '-') walk.refuse(`code that ${known.name} reads`)
  else {
    walk.script(resolvedScript(file.text, walk, call), state)
    if (/(?:^|\/)setup\.py$/.test(file.text) && args.some(({ text }) => /^(?:upload|register|install)$/.test(text)))
      walk.refuse('setup.py that installs or publishes')
    walk.checkAll('arg', args, state)
  }
  const inspect = given.has('--inspect') || given.has('--inspect-brk')
  if (inspect) walk.need('port:9229')
  const port = call.assigned.get('PORT')
  if (port && /^\d+$/.test(port)) walk.need(`port:${port}`)
  return same(state)
}

/** `node src/server` runs `src/server.js`. */
function resolvedScript(file: string, walk: Walk, { state, known }: Invocation): string {
  if (known.name === 'node')
    for (const end of ['', '.js', '.mjs', '.cjs', '/index.js']) {
      if (statSync(walk.world.paths.real(file + end, state.cwd), { throwIfNoEntry: false })?.isFile()) return file + end
    }
  return file
}

const MODULES = new Set(
  'pytest venv json.tool unittest http.server pip py_compile compileall doctest coverage black ruff mypy flake8 isort pylint tox nox build this calendar site platform sysconfig ensurepip tokenize ast dis tabnanny trace cProfile mkdocs sphinx uvicorn gunicorn flask celery alembic streamlit jupyter pre_commit twine virtualenv poetry pipenv uv hypercorn daphne bandit vulture pycodestyle autopep8 yapf'.split(
    ' ',
  ),
)

export function python(walk: Walk, call: Invocation): Outcome {
  const at = call.args.findIndex(({ text }) => /^-[bBdEIOqsSuvx]*m$/.test(text))
  const first = readCall(call.known, call.args, 'operand').end
  if (at < 0 || at >= first) return interpreter(walk, call)
  const module = call.args[at + 1]?.text ?? ''
  const args = call.args.slice(at + 2)
  // What follows the module is not an option of python.
  for (const phrase of walk.unknown) if (phrase.endsWith(` of ${call.known.name}`)) walk.unknown.delete(phrase)
  const file = walk.world.paths.real(`${module.replaceAll('.', '/')}.py`, call.state.cwd)
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) walk.script(file, call.state)
  else if (!MODULES.has(module)) walk.refuse(`the module ${module} of python`)
  if (module === 'http.server') {
    const port = args.find(({ text }) => /^\d+$/.test(text))?.text ?? '8000'
    walk.need(`port:${port}`)
  }
  // They run a file that they are given.
  if (/^(?:cProfile|trace)$/.test(module))
    for (const { text } of args) if (text.endsWith('.py')) walk.script(text, call.state)
  const known = findKnown(module.replaceAll('_', '-'))
  if (known && module !== 'this') return walk.invoke(known, module, args, call.state, call.assigned)
  walk.checkAll('arg', args, call.state)
  return same(call.state)
}

/** The scripts of the package.json that is valid in a folder. */
export function findScripts(
  walk: Walk,
  cwd: string,
): { readonly scripts: Readonly<Record<string, unknown>>; readonly folder: string } | undefined {
  for (let at = cwd; walk.world.paths.isInProject(at); at = posix.dirname(at)) {
    try {
      const text = readFileSync(posix.join(at, 'package.json'), 'utf8')
      const parsed: unknown = JSON.parse(text)
      return { scripts: (parsed as { scripts?: Record<string, unknown> }).scripts ?? {}, folder: at }
    } catch {
      // None here, or not to be read as one: the next folder up, as a package manager does.
    }
  }
  return undefined
}

/** A script of package.json is understood as far as its text is. */
export function runScript(walk: Walk, call: Invocation, name: string, more: readonly Argument[]): Outcome {
  const { state, assigned } = call
  const found = findScripts(walk, state.cwd)
  if (found && walk.world.isPending(posix.join(found.folder, 'package.json')))
    walk.refuse('a script of package.json, which is changed before it runs')
  const names = [`pre${name}`, name, `post${name}`].filter((each) => typeof found?.scripts[each] === 'string')
  if (!names.includes(name)) {
    if (found && name === 'start' && statSync(posix.join(found.folder, 'server.js'), { throwIfNoEntry: false }))
      walk.script(posix.join(found.folder, 'server.js'), state)
    else walk.refuse(`the script ${name}, which package.json does not have`)
  }
  walk.checkAll('arg', more, state)
  const inner = { cwd: found?.folder ?? state.cwd, variables: new Map([...state.variables, ...assigned]) }
  for (const each of names) walk.text(found?.scripts[each] as string, inner)
  return same(state)
}

function inFolder(walk: Walk, call: Invocation): Invocation {
  const folder = [
    ...(call.given.get('-C') ?? []),
    ...(call.given.get('--prefix') ?? []),
    ...(call.given.get('--cwd') ?? []),
  ][0]
  return folder === undefined
    ? call
    : { ...call, state: { ...call.state, cwd: walk.world.paths.real(folder, call.state.cwd) } }
}

const RUN_WORDS = new Set('test t tst start stop restart'.split(' '))

export function run(walk: Walk, given: Invocation): Outcome {
  const call = inFolder(walk, given)
  const args = rest(call)
  const verb = call.known.name.split(' ').at(-1) ?? ''
  const workspace = ['-w', '--workspace', '-ws', '--workspaces', '--filter', '-r', '--recursive', '-F'].some((name) =>
    call.given.has(name),
  )
  const name = RUN_WORDS.has(verb) ? (verb === 't' || verb === 'tst' ? 'test' : verb) : args[0]?.text
  const more = (RUN_WORDS.has(verb) ? args : args.slice(1)).filter(({ text }) => text !== '--')
  if (name === undefined) return same(given.state)
  // npm takes options up to `--` for itself, wherever they are.
  const dashes = args.findIndex(({ text }) => text === '--')
  const isPassed = call.args.slice(0, call.args.length - args.length).some(({ text }) => text === '--')
  const own = (isPassed ? [] : args.slice(0, dashes < 0 ? args.length : dashes)).filter(({ text }) =>
    text.startsWith('-'),
  )
  if (call.known.name.startsWith('npm ')) for (const phrase of readCall(call.known, own).unknown) walk.refuse(phrase)
  if (workspace)
    for (const folder of workspaces(walk))
      if (findScripts(walk, folder)?.folder === folder && findScripts(walk, folder)?.scripts[name] !== undefined)
        runScript(walk, { ...call, state: { ...call.state, cwd: folder } }, name, more)
  if (!workspace || !workspaces(walk).length) runScript(walk, call, name, more)
  return same(given.state)
}

export function workspaces(walk: Walk): readonly string[] {
  const found: string[] = []
  for (const folder of ['packages', 'apps', 'libs', 'services'])
    for (const name of listNames(posix.join(walk.world.paths.project, folder)))
      found.push(posix.join(walk.world.paths.project, folder, name))
  return found.slice(0, 50)
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

export function packages(walk: Walk, given: Invocation): Outcome | undefined {
  const call = inFolder(walk, given)
  const args = rest(call)
  const [first, ...more] = args
  if (!first) {
    // `yarn` alone installs.
    if (call.known.name === 'yarn') install(walk, call)
    return same(given.state)
  }
  const { name } = call.known
  if (call !== given)
    return walk.run([{ text: name, loose: false }, ...args], call.state, call.assigned) && same(given.state)
  const isRecursive = ['-r', '--recursive', '--filter', '-F', '-w', '--workspace'].some((option) =>
    call.given.has(option),
  )
  if (
    isRecursive &&
    findKnown(`${name} ${first.text}`)?.rule !== 'exec' &&
    first.text !== 'install' &&
    first.text !== 'list' &&
    first.text !== 'ls'
  ) {
    const script = first.text === 'run' ? (more[0]?.text ?? '') : first.text
    if (
      ![walk.world.paths.project, ...workspaces(walk)].some(
        (folder) => findScripts(walk, folder)?.scripts[script] !== undefined,
      )
    )
      walk.refuse(`the command ${name} ${first.text}`)
    for (const folder of workspaces(walk))
      if (findScripts(walk, folder)?.scripts[script] !== undefined)
        runScript(walk, { ...call, state: { ...call.state, cwd: folder } }, script, [])
    if (!workspaces(walk).length || findScripts(walk, call.state.cwd)?.scripts[script] !== undefined)
      runScript(walk, call, script, [])
    return same(given.state)
  }
  if (name !== 'npm' && !findKnown(`${name} ${first.text}`)) {
    const scripts = findScripts(walk, call.state.cwd)?.scripts ?? {}
    if (scripts[first.text] !== undefined) return runScript(walk, call, first.text, more)
    if (isTool(first.text)) return walk.run(args, call.state, call.assigned)
  }
  return undefined
}

const isTool = (name: string) => TOOLS.has(findKnown(name)?.name ?? '')
let tools: ReadonlySet<string> | undefined
/** Programs that packages of npm bring along. */
const TOOLS = {
  has(name: string): boolean {
    tools ??= new Set(
      'tsc vue-tsc tsgo eslint eslint_d oxlint xo standard prettier biome stylelint markdownlint markdownlint-cli2 cspell knip depcheck madge sort-package-json syncpack type-coverage publint size-limit npm-check npm-check-updates ncu license-checker svgo terser sass postcss tailwindcss lessc typedoc jsdoc api-extractor graphql-codegen openapi-typescript vitest jest mocha ava tap jasmine karma uvu c8 nyc wtr playwright cypress vite next nuxt nuxi astro remix gatsby svelte-kit svelte-check vue-cli-service react-scripts ng docusaurus vitepress vuepress expo parcel webpack webpack-cli rollup tsup unbuild microbundle tsdown rspack rsbuild swc babel ncc esbuild prisma drizzle-kit storybook turbo nx lerna lint-staged changeset commitlint concurrently npm-run-all run-s run-p cross-env nodemon ts-node-dev ts-node tsx esno vite-node wait-on rimraf del-cli mkdirp cpx cpy copyfiles ncp cpx2 serve http-server live-server json-server create-vite create-next-app create-react-app create-svelte create-vue create-astro degit tiged sv envinfo browserslist semver hardhat cowsay protoc tslint htmlhint jscpd ls-lint spectral redocly mmdc node'.split(
        ' ',
      ),
    )
    return tools.has(name)
  },
}

export function install(walk: Walk, given: Invocation): undefined {
  const call = inFolder(walk, given)
  walk.need(`network:${registryHost(walk.world.paths.project)}`)
  // Runs scripts of packages as declared by the user's files; files that the session wrote were not reviewed.
  for (const name of [
    'package.json',
    'package-lock.json',
    'yarn.lock',
    'pnpm-lock.yaml',
    'bun.lockb',
    'bun.lock',
    '.npmrc',
  ]) {
    const path = posix.join(call.state.cwd, name)
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) walk.script(path, call.state)
  }
  return undefined
}

export function execute(walk: Walk, given: Invocation): Outcome {
  const call = inFolder(walk, given)
  const args = rest(call).filter(({ text }, at) => at > 0 || text !== '--')
  const [first, ...more] = args
  for (const name of [...(call.given.get('-p') ?? []), ...(call.given.get('--package') ?? [])])
    if (!/^(?:typescript|@angular\/cli|@biomejs\/biome|prettier|eslint|vite)(?:@[\w.-]+)?$/.test(name))
      walk.refuse(`the package ${name}`)
  if (!first) {
    walk.refuse(`${call.known.name} without a command`)
    return same(call.state)
  }
  const name = first.text
    .replace(/^@biomejs\/biome|^@angular\/cli/, (all) => (all.startsWith('@b') ? 'biome' : 'ng'))
    .replace(/(?<=.)@(?:latest|next|\^?\d[\w.-]*)$/, '')
  const local = walk.world.paths.real(`node_modules/.bin/${name}`, call.state.cwd)
  const isLocal = statSync(local, { throwIfNoEntry: false }) !== undefined
  if (!isTool(name)) walk.refuse(`the program ${first.text}`)
  else {
    if (!isLocal) walk.need(`network:${registryHost(walk.world.paths.project)}`)
    walk.run([{ text: name, loose: false }, ...more], call.state, call.assigned)
  }
  return same(call.state)
}

export function php(walk: Walk, call: Invocation): Outcome {
  const address = call.given.get('-S')?.[0]
  if (address !== undefined) {
    walk.need(`port:${/:(\d+)$/.exec(address)?.[1] ?? '8000'}`)
    return same(call.state)
  }
  const [file] = rest(call)
  for (const setting of call.given.get('-d') ?? [])
    if (!/^(?:memory_limit|display_errors|error_reporting|xdebug\.mode|max_execution_time)=/.test(setting))
      walk.refuse(`the setting ${setting} of php`)
  if (call.given.has('-l') || call.given.has('-s')) {
    if (file) walk.accept('read', file.text, call.state, '')
    return same(call.state)
  }
  if (!file && ['-v', '-m', '-i', '--version', '--ini', '--modules'].some((name) => call.given.has(name)))
    return same(call.state)
  if (file?.text === 'artisan' && rest(call)[1]?.text === 'tinker') walk.refuse('code that php reads')
  if (file?.text === 'artisan' && rest(call)[1]?.text === 'serve') walk.need('port:8000')
  return interpreter(walk, call)
}

export function scriptNames(walk: Walk, call: Invocation, pattern: string): readonly string[] {
  const names = Object.keys(findScripts(walk, call.state.cwd)?.scripts ?? {})
  if (!pattern.includes('*')) return [pattern]
  const [before = '', after = ''] = pattern.split(/\*+/)
  return names.filter((name) => name.startsWith(before) && name.endsWith(after))
}
