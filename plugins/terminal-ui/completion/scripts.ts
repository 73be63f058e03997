/** The scripts. Names and descriptions are plain when they come here: nothing in them ends a quotation. */

/** A command of svc. */
export interface Word {
  readonly name: string
  readonly description: string
  readonly subcommands: readonly string[]
}

/** Begins lines of every script for fish. */
export const FISH_START = 'complete -c svc -n __fish_use_subcommand'

const OPTIONS = ['--help', '--version', '--profile', '--plugin']

/** For bash 3.2 and later. */
export function bashScript(words: readonly Word[]): string {
  const cases = words
    .filter(({ subcommands }) => subcommands.length > 0)
    .map(({ name, subcommands }) => `    ${name}) words='${subcommands.join(' ')}' ;;`)
  return `_svc() {
  local current=\${COMP_WORDS[COMP_CWORD]} command= at=1 words=
  COMPREPLY=()
  while [ "$at" -lt "$COMP_CWORD" ]; do
    case \${COMP_WORDS[at]} in
      -p | --profile | --plugin) at=$((at + 1)) ;;
      -*) ;;
      *) command=\${COMP_WORDS[at]}; break ;;
    esac
    at=$((at + 1))
  done
  if [ -z "$command" ]; then words='${[...words.map(({ name }) => name), ...OPTIONS].join(' ')}'
  elif [ "$((at + 1))" -eq "$COMP_CWORD" ]; then
    case $command in
${cases.join('\n')}
    esac
  fi
  [ -n "$words" ] && COMPREPLY=($(compgen -W "$words" -- "$current"))
  return 0
}
complete -o default -F _svc svc
`
}

/** For zsh with compinit. */
export function zshScript(words: readonly Word[]): string {
  const commands = words.map(({ name, description }) => `    '${name}:${description.replaceAll(':', '\\:')}'`)
  const cases = words
    .filter(({ subcommands }) => subcommands.length > 0)
    .map(({ name, subcommands }) => `    ${name}) compadd ${subcommands.join(' ')} ;;`)
  return `_svc() {
  local -a commands
  commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    compadd -- ${OPTIONS.join(' ')}
  elif (( CURRENT == 3 )); then
    case $words[2] in
${cases.join('\n')}
    *) _files ;;
    esac
  else
    _files
  fi
}
compdef _svc svc
`
}

/** For fish 3 and later. */
export function fishScript(words: readonly Word[]): string {
  const lines = words.flatMap(({ name, description, subcommands }) => [
    `${FISH_START} -f -a ${name} -d '${description}'`,
    ...(subcommands.length > 0
      ? [
          `complete -c svc -n '__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${subcommands.join(' ')}' -f -a '${subcommands.join(' ')}'`,
        ]
      : []),
  ])
  const options = ['-s h -l help', '-s v -l version', '-s p -l profile -r', '-l plugin -r']
  return `${[...lines, ...options.map((option) => `${FISH_START} ${option}`)].join('\n')}\n`
}
