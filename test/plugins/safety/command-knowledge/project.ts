/** A project with files of many ecosystems, known to git, for tests of what is understood. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CommandAnalysis, CommandLocation } from 'svc/sdk/shell'
import { Knowledge } from '../../../../plugins/safety/command-knowledge/read.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const SCRIPTS = {
  test: 'vitest run',
  lint: 'eslint src',
  build: 'tsc -p . && vite build',
  dev: 'vite',
  start: 'node src/server.js',
  typecheck: 'tsc --noEmit',
  evil: 'rm -rf ~',
}
const EMPTY =
  'README.md src/index.ts src/app.ts src/server.js src/old.ts src/main.ts src/lib/math.ts src/main.rs src/hello.c src/main.cpp src/Main.java src/index.php scripts/build.sh scripts/seed.js scripts/report.rb scripts/x.lua scripts/plot.R tests/test_app.py app.py manage.py main.go cmd/server/main.go Makefile packages/core/Makefile CMakeLists.txt gradlew mvnw artisan bin/rails Rakefile requirements.txt requirements-dev.txt setup.py go.mod Cargo.toml pom.xml build.gradle composer.json Gemfile package-lock.json config/app.yaml data/users.csv docker-compose.yml fix.patch a.txt b.txt x'.split(
    ' ',
  )
const IGNORED =
  'dist/app.js dist/index.html build/app.jar release.zip release.tar.gz logs/app.log data/app.db .env node_modules/.bin/eslint notebook.ipynb'.split(
    ' ',
  )

/** Makes it in its own folder; `remove` deletes it. */
export function makeProject(): { readonly project: string; readonly remove: () => void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-known-')))
  const project = join(root, 'project')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  for (const path of [...EMPTY, ...IGNORED]) write(path, `${path}\n`)
  write('package.json', JSON.stringify({ name: 'x', version: '1.0.0', scripts: SCRIPTS }))
  write('packages/core/package.json', JSON.stringify({ name: 'core', scripts: SCRIPTS }))
  write('.gitignore', [...IGNORED, 'deep'].join('\n'))
  write('.env.example', 'A=1\n')
  writeFileSync(join(root, 'x'), 'outside\n')
  mkdirSync(join(project, 'deep'))
  symlinkSync('/etc', join(project, 'deep', 'linked'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: project })
  git('init', '-q', '-b', 'main')
  git('remote', 'add', 'origin', 'git@github.com:example/repo.git')
  git('add', '-A')
  git('commit', '-qm', 'first')
  return { project, remove: () => removeFolder(root) }
}

/** One command a line; a line break in a command is written as `␤`. */
export function corpus(name: string, folder = './corpus'): readonly string[] {
  const text = readFileSync(new URL(`${folder}/${name}.txt`, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replaceAll('␤', '\n'))
}

/** Reads with its own memory; `seen` says that the session wrote nothing by other means than commands. */
export function readIn(project: string, more: Partial<CommandLocation> = { wasWritten: () => false }) {
  return (command: string): CommandAnalysis => new Knowledge().read(command, { cwd: project, project, ...more })
}
