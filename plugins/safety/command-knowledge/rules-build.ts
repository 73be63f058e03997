/** Compilers, test runners and build tools. */
import { statSync } from 'node:fs'
import { posix } from 'node:path'
import { readCall } from './call.ts'
import { type Invocation, type Outcome, same } from './outcome.ts'
import { findKnown } from './programs.ts'
import type { Rule } from './rules.ts'
import {
  execute,
  install,
  interpreter,
  packages,
  php,
  python,
  rest,
  run,
  runScript,
  scriptNames,
  workspaces,
} from './rules-packages.ts'
import type { Walk } from './walk.ts'

const listOperandWords = (call: Invocation) => call.operands.map((text) => ({ text, loose: false }))

function runner(walk: Walk, call: Invocation): Outcome {
  const args = rest(call)
  const [first] = args
  if (!first && call.given.has('-m')) return same(call.state)
  if (first && /\.py$/.test(first.text) && !first.text.startsWith('/')) {
    walk.script(first.text, call.state)
    walk.checkAll('arg', args.slice(1), call.state)
    return same(call.state)
  }
  return walk.inner(args, call)
}

/** Arguments that a program of the project is given. */
function checkPassedArguments(walk: Walk, call: Invocation): undefined {
  walk.checkAll('arg', listOperandWords(call), call.state)
  return undefined
}

function make(walk: Walk, call: Invocation): Outcome {
  const folder = call.given.get('-C')?.[0] ?? call.given.get('--directory')?.[0]
  const cwd = folder === undefined ? call.state.cwd : walk.world.paths.real(folder, call.state.cwd)
  if (!walk.world.paths.isInProject(cwd)) walk.refuse(`a folder outside the project: ${folder}`)
  const own = call.given.get('-f') ?? call.given.get('--file')
  const isQuestion = call.given.has('--version')
  const file =
    own?.[0] ??
    ['GNUmakefile', 'makefile', 'Makefile'].find((name) =>
      statSync(posix.join(cwd, name), { throwIfNoEntry: false })?.isFile(),
    )
  if (file === '-') walk.refuse('what make reads')
  if (file) walk.script(posix.resolve(cwd, file), call.state)
  else if (!isQuestion && !/^(?:build|out|_build)/.test(posix.relative(walk.world.paths.project, cwd)))
    walk.refuse('make without a Makefile')
  for (const { text, loose } of rest(call)) {
    const [, name, value = ''] = /^([A-Za-z_]\w*)[:+?]?=(.*)$/s.exec(text) ?? []
    if (loose || /[$`\ue000]/.test(text)) walk.refuse(`the word ${text} of make`)
    else if (name !== undefined) {
      if (
        /^(?:SHELL|MAKE\w*|CC|CXX|LD|AR|RM|\.SHELLFLAGS|PATH)$/.test(name) &&
        !/^(?:gcc|g\+\+|clang|clang\+\+|cc)$/.test(value)
      )
        walk.refuse(`the variable ${name} of make`)
      else walk.accept('arg', text, call.state, '')
    } else if (!/^-j\d*$|^-[bBikns]+$|^--(?:dry-run|silent|keep-going|always-make)$/.test(text))
      walk.accept('arg', text, call.state, '')
  }
  return same(call.state)
}

function cmake(walk: Walk, { args, state }: Invocation): Outcome {
  for (const [at, { text, loose }] of args.entries()) {
    if (
      loose ||
      /^-[EPCNx]|^-E$/.test(text) ||
      /^-D[^=]*(?:COMPILER|LAUNCHER|LINKER|TOOLCHAIN|PROGRAM|COMMAND)[^=]*=/.test(text) ||
      /^--(?:debugger|trace-redirect|toolchain|install-prefix|profiling-output)/.test(text)
    )
      walk.refuse(`the option ${text.split('=')[0]} of cmake`)
    else if (/^-[SB]./.test(text)) walk.accept('write', text.slice(2), state, '')
    else if (/^--install$/.test(text)) walk.refuse('an installation')
    else if (!text.startsWith('-') && !/^-[GDTA]$/.test(args[at - 1]?.text ?? '')) walk.accept('arg', text, state, '')
  }
  for (const file of ['CMakeLists.txt'])
    if (statSync(posix.join(state.cwd, file), { throwIfNoEntry: false })) walk.script(file, state)
  return same(state)
}

function javaRule(walk: Walk, call: Invocation): Outcome {
  const [first, ...more] = rest(call)
  if (first?.text.endsWith('.java')) walk.script(first.text, call.state)
  walk.checkAll('arg', more, call.state)
  if (!first && ![...call.given.keys()].some((name) => /version|-jar|list-modules/.test(name)))
    walk.refuse('java without a class')
  return same(call.state)
}

function vitest(walk: Walk, call: Invocation): undefined {
  if (call.given.has('--ui')) walk.need('port:51204')
  return checkPassedArguments(walk, call)
}

const refuseCall = (walk: Walk, phrase: string | undefined) => walk.check(phrase) as undefined

export const BUILD_RULES: Readonly<Record<string, Rule>> = {
  interpreter: { run: (walk, call) => interpreter(walk, call) },
  python: {
    own: true,
    run: (walk, call) => {
      const { given, unknown } = readCall(call.known, call.args, 'operand')
      const isModule = call.args.some(({ text }) => /^-[bBdEIOqsSuvx]*m$/.test(text))
      if (!isModule) for (const phrase of unknown) walk.refuse(phrase)
      return python(walk, { ...call, given })
    },
  },
  deno: {
    run: (walk, call) => {
      const [file, ...more] = rest(call)
      const verb = call.known.name.split(' ')[1]
      if (file && (verb === 'run' || verb === 'serve')) walk.script(file.text, call.state)
      else if (file) walk.checkAll('arg', [file], call.state)
      walk.checkAll('arg', more, call.state)
      return same(call.state)
    },
  },
  bun: {
    run: (walk, call) => {
      const [first, ...more] = rest(call)
      if (!first || findKnown(`bun ${first.text}`)) return undefined
      if (/\.[cm]?[jt]sx?$/.test(first.text)) walk.script(first.text, call.state)
      else return runScript(walk, call, first.text, more)
      return same(call.state)
    },
  },
  packages: { run: packages },
  run: { run },
  exec: { run: execute },
  install: { run: install },
  runner: { run: runner },
  yarnWorkspace: {
    run: (walk, call) => {
      const [name, ...more] = rest(call)
      const folder = workspaces(walk).find(
        (each) => posix.basename(each) === (name?.text ?? '').replace(/^@[^/]+\//, ''),
      )
      if (!folder || !more.length) walk.refuse(`the workspace ${name?.text ?? ''}`)
      else walk.run([{ text: 'yarn', loose: false }, ...more], { ...call.state, cwd: folder }, call.assigned)
      return same(call.state)
    },
  },
  noFix: {
    run: (walk, { operands, given }) =>
      refuseCall(
        walk,
        operands.includes('fix') || given.has('--fix') ? 'a change of the installed packages' : undefined,
      ),
  },
  npmConfigGet: {
    run: (walk, { operands, known }) =>
      refuseCall(
        walk,
        known.name.endsWith('get') && operands.length === 1 && !/auth|token|password|^\/\//i.test(operands[0] ?? '')
          ? undefined
          : 'settings of npm, which may hold secrets',
      ),
  },
  webpack: {
    run: (walk, call) => {
      const [first] = rest(call)
      if (first && /^(?:serve|s)$/.test(first.text)) walk.need('port:8080')
      else if (first && !/^(?:build|b|watch|w)$/.test(first.text)) walk.accept('read', first.text, call.state, '')
      return same(call.state)
    },
  },
  outputs: {
    run: (walk, call) => {
      for (const [name, values] of call.given)
        if (/out/.test(name))
          for (const value of values)
            walk.accept('write', value.slice(value.lastIndexOf(':') + 1).replace(/^=/, '') || '.', call.state, '')
      return checkPassedArguments(walk, call)
    },
  },
  turbo: {
    run: (walk, call) => {
      const [first] = rest(call)
      if (!first || findKnown(`turbo ${first.text}`)) return undefined
      return walk.invoke(
        findKnown('turbo run') as NonNullable<ReturnType<typeof findKnown>>,
        'turbo',
        rest(call),
        call.state,
        call.assigned,
      )
    },
  },
  nx: {
    run: (walk, call) => {
      const [first] = rest(call)
      if (!first || findKnown(`nx ${first.text}`)) return undefined
      walk.refuse(`the command nx ${first.text}`)
      return same(call.state)
    },
  },
  needsDry: { run: (walk, { given }) => refuseCall(walk, given.has('--dry-run') ? undefined : 'a release') },
  many: {
    run: (walk, call) => {
      for (const { text } of rest(call)) {
        const isScript = /^(?:run-[sp]|npm-run-all)$/.test(call.known.name) || /^(?:npm|pnpm|yarn):/.test(text)
        if (isScript)
          for (const name of scriptNames(walk, call, text.replace(/^(?:npm|pnpm|yarn):/, '')))
            runScript(walk, call, name, [])
        else walk.text(text, call.state)
      }
      return same(call.state)
    },
  },
  passed: { run: checkPassedArguments },
  vitest: { run: vitest },
  pytest: {
    run: (walk, { given }) =>
      refuseCall(
        walk,
        (given.get('-p') ?? []).every((name) => /^no:|^(?:xdist|cov|randomly)$/.test(name))
          ? undefined
          : 'a plugin of pytest',
      ),
  },
  noRequire: {
    run: (walk, { given }) =>
      refuseCall(
        walk,
        (given.get('-r') ?? []).every((name) => /^\.?\/?[\w/]+$/.test(name)) ? undefined : 'the option -r',
      ),
  },
  pipInstall: {
    run: (walk, call) => {
      const files = [
        ...(call.given.get('-r') ?? []),
        ...(call.given.get('--requirement') ?? []),
        ...(call.given.get('--requirements') ?? []),
      ]
      const folders = [...(call.given.get('-e') ?? []), ...(call.given.get('--editable') ?? [])]
      for (const folder of folders) {
        walk.accept('arg', folder, call.state, '')
        for (const name of ['setup.py', 'pyproject.toml']) {
          const path = posix.join(walk.world.paths.real(folder.replace(/\[[\w,-]*\]$/, ''), call.state.cwd), name)
          if (statSync(path, { throwIfNoEntry: false })) walk.script(path, call.state)
        }
      }
      return refuseCall(walk, files.length + folders.length ? undefined : 'an installation of other packages')
    },
  },
  module: {
    run: (walk, { operands: [module = ''], state, given }) => {
      const bound = [...(given.get('-b') ?? []), ...(given.get('--bind') ?? [])][0]
      const port = bound && /:(\d+)$/.exec(bound)?.[1]
      if (port) walk.need(`port:${port}`)
      const path = `${(module.split(':')[0] ?? '').replaceAll('.', '/')}.py`
      if (statSync(walk.world.paths.real(path, state.cwd), { throwIfNoEntry: false })) walk.script(path, state)
      return undefined
    },
  },
  script: { run: (walk, { operands: [file = ''], state }) => walk.script(file, state) as undefined },
  coverage: {
    run: (walk, call) => {
      const verb = call.known.name.split(' ')[1]
      if (verb !== 'run') return same(call.state)
      if (call.given.has('-m'))
        return walk.run([{ text: 'python', loose: false }, { text: '-m', loose: false }, ...rest(call)], call.state)
      return interpreter(walk, call)
    },
  },
  condaRead: {
    run: (walk, { operands: [verb], known }) =>
      refuseCall(
        walk,
        /env|config/.test(known.name) && !/^(?:list|export)$/.test(verb ?? 'list')
          ? `${known.name} ${verb}`
          : undefined,
      ),
  },
  goPackages: {
    run: (walk, call) => {
      const modules = call.operands.filter((word) => !word.startsWith('-'))
      if (call.known.name === 'go run' && modules.some((word) => /^[\w-]+\.[\w.-]+\//.test(word)))
        walk.refuse('a package that go downloads')
      if (modules.some((word) => /^[\w-]+\.[\w.-]+\/.*@|@/.test(word))) walk.refuse('a package that go downloads')
      if (call.known.name === 'go run' && call.operands[0]?.endsWith('.go')) walk.script(call.operands[0], call.state)
      if (
        /extld|linkmode.*-extld|-plugin/.test(
          [...(call.given.get('-ldflags') ?? []), ...(call.given.get('-gcflags') ?? [])].join(),
        )
      )
        walk.refuse('the linker of go')
      return undefined
    },
  },
  goMod: {
    run: (walk, call) => {
      if (/download|tidy|vendor/.test(call.known.name)) walk.need('network:proxy.golang.org', 'network:sum.golang.org')
      return checkPassedArguments(walk, call)
    },
  },
  compiler: {
    run: (walk, { given, operands }) => {
      if (operands.some((word) => word.startsWith('@'))) walk.refuse('options of the compiler in a file')
      const flags = [...(given.get('-W') ?? [])]
      return refuseCall(
        walk,
        flags.some((flag) => /^[alp],.*(?:plugin|-dynamic-linker|@)|^rapper/.test(flag)) ||
          (given.has('-s') && (given.get('-s') ?? []).some((flag) => /^pecs|^ave/.test(flag)))
          ? 'an option of the compiler'
          : undefined,
      )
    },
  },
  make: { run: make },
  cmake: { own: true, run: cmake },
  maven: {
    run: (walk, call) =>
      refuseCall(
        walk,
        call.operands.some((goal) => /^exec:|^deploy|^release|^antrun:|^groovy:|^scm:|^dependency:get/.test(goal))
          ? 'a goal of Maven that runs or publishes'
          : undefined,
      ) ?? checkPassedArguments(walk, call),
  },
  java: { run: javaRule },
  jar: {
    own: true,
    run: (walk, { args, state }) => {
      if (!/^-?-?(?:t|c|x)[fve0]*$|^--list$/.test(args[0]?.text ?? '')) walk.refuse('jar as it is used')
      for (const { text } of args.slice(1)) if (!text.startsWith('-')) walk.accept('write', text, state, '')
      return same(state)
    },
  },
  php: { run: php },
  composer: {
    run: (walk, call) => {
      if (/install|update/.test(call.known.name))
        for (const name of ['composer.json', 'composer.lock'])
          if (statSync(posix.join(call.state.cwd, name), { throwIfNoEntry: false })) walk.script(name, call.state)
      return undefined
    },
  },
  bundle: {
    run: (walk, { known, state, operands }) => {
      if (/platform|config/.test(known.name) && operands.length > 1) walk.refuse(known.name)
      if (/install|lock|outdated/.test(known.name)) walk.need('network:rubygems.org')
      if (/install/.test(known.name))
        for (const name of ['Gemfile', 'Gemfile.lock'])
          if (statSync(posix.join(state.cwd, name), { throwIfNoEntry: false })) walk.script(name, state)
      return undefined
    },
  },
  rails: {
    run: (walk, call) => {
      const [verb] = rest(call)
      if (verb && /^(?:server|s)$/.test(verb.text)) walk.need('port:3000')
      if (
        verb &&
        /^(?:runner|r|console|c|dbconsole|db|db:drop.*|db:reset|credentials.*|secrets.*|new|destroy|d)$/.test(verb.text)
      )
        walk.refuse(`the command rails ${verb.text}`)
      walk.checkAll('arg', rest(call), call.state)
      return same(call.state)
    },
  },
  mix: {
    run: (walk, call) => {
      if (/deps\.(?:get|update)|hex/.test(call.known.name)) walk.need('network:hex.pm')
      if (/phx\.server/.test(call.known.name)) walk.need('port:4000')
      return checkPassedArguments(walk, call)
    },
  },
  flutter: {
    run: (walk, call) => {
      const [verb] = call.operands
      if (call.known.name.endsWith('pub')) {
        if (!/^(?:get|outdated|deps|upgrade)$/.test(verb ?? '')) walk.refuse(`${call.known.name} ${verb ?? ''}`)
        else walk.need('network:pub.dev')
      }
      if (call.known.name === 'dart run' && verb?.endsWith('.dart')) walk.script(verb, call.state)
      return checkPassedArguments(walk, call)
    },
  },
  xcode: {
    run: (walk, call) =>
      refuseCall(walk, call.known.name === 'xcrun' ? 'a program that xcrun runs' : undefined) ??
      checkPassedArguments(walk, call),
  },
}
