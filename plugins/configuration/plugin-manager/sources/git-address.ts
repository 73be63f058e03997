/** Addresses of git repositories, as `svc plugins install` takes them. */
import { SvcError } from 'svc/sdk'

/** A repository and what is wanted of it. */
export interface GitAddress {
  readonly url: string
  /** A tag, a branch or a commit; without it the default branch. */
  readonly ref?: string
}

const host = /^github:([\w.-]+)\/([\w.-]+?)(?:\.git)?(?:#(.*))?$/i
const prefixed = /^git\+((?:https|ssh|file):\/\/[^#]+)(?:#(.*))?$/i
const bare = /^((?:https:\/\/[^#]+\.git)|(?:ssh:\/\/[^#]+)|(?:git@[\w.-]+:[^#]+))(?:#(.*))?$/i

/** Undefined for what is not git. Throws `PLUGIN_SPEC` for git addresses that cannot be used. */
export function parseGitAddress(spec: string): GitAddress | undefined {
  const short = host.exec(spec)
  if (short) return checked(`https://github.com/${short[1]}/${short[2]}.git`, short[3])
  const [, url, ref] = prefixed.exec(spec) ?? bare.exec(spec) ?? []
  if (url !== undefined) return checked(url, ref)
  if (!/^(git[+:]|github:)/i.test(spec)) return undefined
  const forms = 'github:owner/repository, git+https://…, git+ssh://…, git+file:///…; add #tag, #branch or #commit'
  throw new SvcError('PLUGIN_SPEC', `"${spec}" is not an address of git that is known here: ${forms}.`, { status: 400 })
}

function checked(url: string, ref: string | undefined): GitAddress {
  if (/^https:\/\/[^/]*:[^/]*@/i.test(url))
    throw new SvcError(
      'PLUGIN_SPEC',
      'The address holds a password, which would be recorded. Use a credential helper.',
      {
        status: 400,
      },
    )
  if (ref === undefined || ref === '') return { url }
  // As git check-ref-format has it, and never an option.
  if (/^[\w][\w./+@-]*$/.test(ref) && !/\.\.|@\{|\/\/|\.lock$|[./]$/.test(ref)) return { url, ref }
  throw new SvcError('PLUGIN_SPEC', `"${ref}" is not a tag, a branch or a commit.`, { status: 400 })
}
