import { expect, test } from 'vitest'
import { assessCommand } from '../../../../plugins/safety/command-risk/assess.ts'
import { ShellSessions } from '../../../../plugins/safety/command-risk/sessions.ts'

const setting = { cwd: '/srv/project' }
const writes = async (command: string) => (await assessCommand(command, setting)).writes

test.each([
  'ls -la',
  'git status -s',
  'git log --oneline -5 | head',
  'cat a.txt && grep -rn "x y" src; wc -l < a.txt',
  'rg foo 2>/dev/null || true',
  'rg -o "a(b)?" src',
  'cd src\npwd',
  'git diff HEAD~1 2>&1 | tail -40',
  'echo $(git rev-parse HEAD)',
  'cat <(ls a) <(ls b)',
  'ls & wc -l a',
  'if test -f a; then cat a; fi',
  'cat <<END\nrm a\nEND',
  'grep "rm a > b" notes',
  'ls # rm a',
])('%j only reads', async (command) => expect(await writes(command)).toBe(false))

test.each([
  'rm a',
  'ls > a',
  'cat a >> b',
  'echo $(rm a)',
  'echo $(echo x > a)',
  'echo `rm a`',
  'cat <<END\n$(rm a)\nEND',
  'ls & rm a',
  'ls&rm a',
  'ls\nrm a',
  'ls; rm a',
  'ls | tee a',
  'ls | xargs rm',
  'find . -delete',
  'sort -o a a',
  'uniq a b',
  'git checkout .',
  'git diff --output=a',
  'git diff --outp=a',
  'git grep -nO x',
  'git log $OPTIONS',
  'git -c alias.x=!rm x',
  'X=1 make',
  'GIT_EXTERNAL_DIFF=./x git diff',
  'env rm a',
  'sudo ls',
  './ls',
  'LS',
  'tree -o a',
  'tree *',
  'rg --pre rm x',
  'echo >| a',
  'echo &> a',
  'echo >& a',
  'cat <> a',
  'python3 x.py',
  'date -s 12:00',
  'cat <(rm a)',
  'cat >(rm a)',
  'if true; then rm a; fi',
  'ls() { rm a; }; ls',
  'alias ls="rm a"; ls',
  '$tool a',
  'ls 2>err',
  '[[ -f a ]] && rm a',
  'bash -c ls',
  'eval "ls"',
  `${'$('.repeat(200)}ls`,
])('%j may write', async (command) => expect(await writes(command)).toBe(true))

test('what the shell of the session was told counts', async () => {
  const sessions = new ShellSessions()
  const session = { ...setting, sessionId: 's1' }
  sessions.remember('s1', await assessCommand("alias ls='rm'", session, sessions))
  expect((await assessCommand('ls a', session, sessions)).writes).toBe(true)
  expect((await assessCommand('ls a', { ...setting, sessionId: 's2' }, sessions)).writes).toBe(false)
})

test('a program may be another one after the session changed where programs are found', async () => {
  const sessions = new ShellSessions()
  const session = { ...setting, sessionId: 's1' }
  sessions.remember('s1', await assessCommand('export PATH=./bin:$PATH', session, sessions))
  expect((await assessCommand('ls', session, sessions)).writes).toBe(true)
  const variables = new Map([['GIT_EXTERNAL_DIFF', ['./x']]])
  expect((await assessCommand('git diff', { ...setting, variables })).writes).toBe(true)
})

test('a command for another shell than a POSIX one may write', async () => {
  for (const shell of ['powershell', 'fish', 'cmd'] as const)
    expect((await assessCommand('ls', { ...setting, shell })).writes).toBe(true)
})
