/** Options and operands of a command. */

/** Options before the verb that take a value in the next word, by program. */
const VALUES: readonly (readonly [RegExp, RegExp])[] = [
  [/^git$/, /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path)$/],
  [/^(kubectl|oc)$/, /^(-[nslf]|--(namespace|context|kubeconfig|server|cluster|user|as|selector|filename))$/],
  [/^helm$/, /^(-n|--namespace|--kube-context|--kubeconfig)$/],
  [
    /^(docker|podman|nerdctl|docker-compose)$/,
    /^(-[Hclfp]|--(host|context|log-level|config|file|project-name|profile|env-file))$/,
  ],
  [/^aws$/, /^--(profile|region|endpoint-url|output|query|ca-bundle)$/],
  [/^gcloud$/, /^--(project|account|configuration|format|zone|region)$/],
  [/^systemctl$/, /^(-H|-M|-t|--host|--machine|--type)$/],
  [/^(p?npm|yarn)$/, /^(-C|-w|--prefix|--workspace)$/],
]

/** The words of a command without its options and their values: `kubectl -n x delete pod y` is `delete pod y`. */
export function listOperands({ name, args }: { readonly name: string; readonly args: readonly string[] }): string[] {
  const values = VALUES.find(([programs]) => programs.test(name))?.[1]
  const isFree = (word: string, at: number) => !word.startsWith('-') && !values?.test(args[at - 1] ?? '')
  return args.filter(isFree)
}

/** One of these short letters, alone or in a bundle, or one of the long options, shortened or with a value. */
export function option(args: readonly string[], letters: string, long: readonly string[]): boolean {
  return args.some((word) => {
    if (/^-[A-Za-z0-9]+$/.test(word) && [...letters].some((letter) => word.includes(letter, 1))) return true
    const name = (word.split('=', 1)[0] ?? '').toLowerCase()
    if (name.length < 2 || !/^[-/]/.test(name)) return false
    return long.some((each) => each === name || (name.length > 4 && each.startsWith(name)))
  })
}

/** This very word. */
export function has(args: readonly string[], word: string): boolean {
  return args.includes(word)
}

/** What is not an option. */
export function operands(args: readonly string[]): string[] {
  const end = args.indexOf('--')
  const open = (end < 0 ? args : args.slice(0, end)).filter((word) => !word.startsWith('-') || word === '-')
  return end < 0 ? open : [...open, ...args.slice(end + 1)]
}

/** The value after an option. */
export function after(args: readonly string[], wanted: RegExp): string | undefined {
  const at = args.findIndex((word) => wanted.test(word))
  return at < 0 ? undefined : args[at + 1]
}
