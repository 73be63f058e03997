#!/usr/bin/env node
// A stand-in for GitHub's program: `gh auth status`, `gh pr list` and `gh pr create` as https://cli.github.com/manual/ documents them.
// It stores pull requests in $GH_CONFIG_DIR/prs.json and refuses flags that these commands do not have.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env.GH_CONFIG_DIR ?? '.'
const file = join(folder, 'prs.json')
const args = process.argv.slice(2)
appendFileSync(
  join(folder, 'calls.log'),
  `${JSON.stringify({ args, cwd: process.cwd(), environment: Object.keys(process.env) })}\n`,
)

const FLAGS = {
  'auth status': { '--hostname': true, '--show-token': false, '--active': false },
  'pr list': { '--repo': true, '--head': true, '--state': true, '--limit': true, '--json': true, '--base': true },
  'pr create': { '--repo': true, '--head': true, '--title': true, '--body': true, '--base': true, '--draft': false },
}

function fail(text, code = 1) {
  process.stderr.write(`${text}\n`)
  process.exit(code)
}

const command = args.slice(0, 2).join(' ')
const known = FLAGS[command] ?? fail(`unknown command "${args[0]}" for "gh"`)
const given = {}
for (let at = 2; at < args.length; at++) {
  const flag = args[at]
  if (!(flag in known)) fail(`unknown flag: ${flag}`)
  given[flag] = known[flag] ? args[++at] : true
  if (given[flag] === undefined) fail(`flag needs an argument: ${flag}`)
}
const isSignedIn = existsSync(join(folder, 'hosts.yml')) || process.env.GH_TOKEN
if (!isSignedIn) {
  if (command === 'auth status') fail('You are not logged into any GitHub hosts. To log in, run: gh auth login')
  fail('To get started with GitHub CLI, please run:  gh auth login', 4)
}
const all = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
if (command === 'auth status') process.stdout.write(`${given['--hostname'] ?? 'github.com'}\n  ✓ Logged in\n`)
if (command === 'pr list') {
  const state = (given['--state'] ?? 'open').toUpperCase()
  const found = all.filter((pr) => pr.head === given['--head'] && (state === 'ALL' || pr.state === state)).reverse()
  const fields = (given['--json'] ?? fail('specify --json')).split(',')
  const shown = found.slice(0, Number(given['--limit'] ?? 30)).map((pr) => {
    for (const field of fields) if (!(field in pr)) fail(`Unknown JSON field: "${field}"`)
    return Object.fromEntries(fields.map((field) => [field, pr[field]]))
  })
  process.stdout.write(JSON.stringify(shown))
}
if (command === 'pr create') {
  if (given['--title'] === undefined || given['--body'] === undefined)
    fail(
      'must provide `--title` and `--body` (or `--fill` or `fill-first` or `--fillverbose`) when not running interactively',
    )
  const base = given['--base'] ?? 'main'
  const head = given['--head']
  const same = all.find((pr) => pr.head === head && pr.state === 'OPEN')
  if (same) fail(`a pull request for branch "${head}" into branch "${base}" already exists:\n${same.url}`)
  const number = all.length + 1
  const url = `https://github.com/${given['--repo']}/pull/${number}`
  writeFileSync(file, JSON.stringify([...all, { number, url, state: 'OPEN', title: given['--title'], head, base }]))
  process.stderr.write(`\nCreating pull request for ${head} into ${base} in ${given['--repo']}\n\n`)
  process.stdout.write(`${url}\n`)
}
