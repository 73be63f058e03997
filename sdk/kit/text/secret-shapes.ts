/** What is probably secret by its form or by the name that it has: for values that `Secrets` does not know. */

const STARS = '***'
const NAME = /(?:key|token|secret|password|passphrase|passwd|authorization|cookie|credential)s?$/i
const VARIABLE = /^\$\{\w+\}$/
const PASSWORD_IN_URL = /([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi
/** A key in a comment is still a key. */
const IN_COMMENT = /(#[^\r\n]*?(?:key|token|secret|password)[\w-]*\s*[:=]\s*)(\S[^\r\n]*)/gi

/**
 * Keys as well-known services write them, not anchored and without flags. The forms are those that services document for scanners:
 * https://docs.github.com/code-security/secret-scanning
 * @since 0.2
 */
export const KEY_FORM: RegExp =
  /(?:sk-[\w-]{16,}|gh[oprsu]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|A(?:KIA|SIA)[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|hf_\w{20,}|npm_\w{30,}|tvly-[\w-]{16,}|eyJ[\w-]{10,1000}\.eyJ[\w-]{10,})/

/**
 * Whether a setting with this name may hold a secret: `api_key`, `botToken`. It is also true for `hotkey`, since a setting that has to be
 * typed again is better than a key that is given away.
 * @since 0.2
 */
export function isSecretSetting(name: string): boolean {
  return NAME.test(name)
}

/** Whether a value is only `${NAME}`: it refers to a variable and is no secret itself. @since 0.2 */
export function isVariableReference(value: string): boolean {
  return VARIABLE.test(value)
}

/** The text with stars for passwords in addresses such as `https://user:password@host`. @since 0.2 */
export function maskUrlPasswords(text: string): string {
  return text.replace(PASSWORD_IN_URL, `$1${STARS}`)
}

/** A text in YAML with stars for secrets in its comments. @since 0.2 */
export function maskSecretComments(text: string): string {
  return text.replace(IN_COMMENT, `$1${STARS}`)
}
