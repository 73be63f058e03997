/** Code that a language fetches and loads by means of its own, beside those that `execution.ts` knows. */
import { worstHost } from './hosts.ts'
import { defineRules, pattern, type SkillSeverity } from './rule.ts'

/** What loads a file or a text as code: R, Julia, Java, Groovy, Kotlin, C#, PHP, Clojure, Tcl, Lisp, Dart, Elixir, Vim, make, awk. */
const LOADER = [
  String.raw`(?<![.\w:])(?:include|source|sys\.source|load|dofile|evaluate|require(?:_once)?|include_once|slurp|run_path|run_module)\s*\(`,
  String.raw`(?:devtools::|remotes::)?source_(?:url|gist)\s*\(`,
  String.raw`\b(?:eval\s*\(\s*parse|URLClassLoader|GroovyShell\b[^\n]{0,40}evaluate|ScriptEngine\w*\b[^\n]{0,60}\.eval|Assembly\.(?:Load|UnsafeLoad)\w*|CSharpScript\.\w+|Isolate\.spawnUri|Code\.(?:eval|compile)_\w+|NSAppleScript|dlopen|LoadLibrary\w*)\b`,
  String.raw`\((?:load-string|load-file|load-url|eval\s+\(read-string|eval-buffer|load)\s`,
  String.raw`\b(?:include|require|include_once|require_once)\s+["']`,
  String.raw`(?:^|[\n;&|$(${'`'}])[ \t]*(?:sudo\s+)?(?:make\s+-f|awk\s+-f|n?vim?\s+-S|emacs\s+(?:-l|--load)|gdb\s+-x|psql\s+-f|jq\s+-f|Rscript|julia|lua|tclsh|guile|racket|elixir|groovy|scala|kotlinc?|swift)\s`,
  String.raw`\b(?:source|eval)\s+\[`,
].join('|')

/** An address, or a program that fetches one, on the same line. */
const FETCHED = String.raw`(?:https?|ftp)://[^\s"'${'`'})>]+`

function weighLoader(found: RegExpMatchArray): SkillSeverity | undefined {
  const kind = worstHost(found[0])
  if (kind === 'local') return 'low'
  return kind === 'publisher' ? 'medium' : kind === 'odd' ? 'critical' : 'high'
}

export const LOADERS = [
  ...defineRules('download-and-run', 'code', [
    {
      id: 'load-address',
      severity: 'high',
      pattern: pattern(String.raw`(?:${LOADER})[^\n]{0,160}?${FETCHED}`),
      message: 'loads code from an address',
      weigh: (found) => (isMention(found[0]) ? undefined : weighLoader(found)),
    },
    {
      id: 'load-fetched',
      severity: 'high',
      // The name that an address was given to is loaded later.
      pattern: pattern(
        String.raw`(?<![\w$])(?<name>[A-Za-z_$]\w{0,60})\s*(?::\s*\w+\s*)?(?:=|:=|<-)\s*[^\n]{0,120}?${FETCHED}[^\n]*(?:\n[^\n]*){0,12}?(?:${LOADER})[^\n]{0,120}?\b\k<name>\b`,
      ),
      message: 'loads code from an address',
      weigh: weighLoader,
    },
    {
      id: 'clone-and-run',
      severity: 'high',
      // Programs of a known forge are usual; the source is named, and can be looked at.
      pattern: pattern(
        String.raw`\b(?:git|hg|svn)\s+(?:-\S+\s+)*(?:clone|checkout|co)\b[^\n]{0,120}?(?:(?:https?|git|ssh|svn)://[^\s"'${'`'})>]+)(?:[ \t]+["']?(?<dir>[\w./~$\{\}-]+))?[^\n]*(?:\n[^\n]*){0,6}?(?:(?:(?:ba|z|da)?sh|source|python3?|node|perl|ruby|\.)\s+(?:-\w+\s+)*["']?\k<dir>/|(?:^|[\s;&|])\k<dir>/[\w./-]+|(?:(?:ba|z|da)?sh|python3?|node|perl|ruby)\s+[\w./-]+\.(?:sh|py|js|pl|rb)|(?:^|[\s;&|])\./[\w./-]+)`,
        'gim',
      ),
      message: 'fetches a repository and runs what is in it',
      weigh: weighClone,
    },
  ]),
]

function weighClone(found: RegExpMatchArray): SkillSeverity {
  const kind = worstHost(found[0])
  if (kind === 'local') return 'low'
  if (kind === 'odd') return 'critical'
  const isHidden = /\/\.\w|\/dev\/null|\/tmp\//.test(found[0])
  return isHidden ? 'high' : kind === 'other' ? 'medium' : 'low'
}

/** An address in a note behind a command, or one that data comes from. */
function isMention(text: string): boolean {
  return /\s(?:#|\/\/(?!\S*\.)|--\s)[^\n]*https?:|\.(?:csv|json|geojson|tsv|parquet|png|xml|rds|txt|md|html?)\b[^\n]{0,3}$/i.test(
    text,
  )
}
