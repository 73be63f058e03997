/** Modules that the build makes from sources of the terminal, so that both have one palette and one catalogue. */

declare module 'svc:skins' {
  /** Names and descriptions of the terminal's skins; their colours are in the style sheet. */
  export const skins: readonly { readonly name: string; readonly description: string; readonly light: boolean }[]
}

declare module 'svc:locales' {
  /** Languages with their own names. `load` is missing for English. */
  export const locales: readonly {
    readonly locale: string
    readonly label: string
    readonly load?: () => Promise<{ readonly default: Readonly<Record<string, string>> }>
  }[]
}

declare module 'svc:message' {
  export function formatMessage(locale: string, message: string, values?: Readonly<Record<string, unknown>>): string
}

declare module '*.css' {}
