/** By what names languages are called, and the ends of names of files. Their grammars are in `highlight-js.js`. */

const names: Readonly<Record<string, string>> = {
  bash: 'sh shell zsh ksh console shell-session shellsession .bashrc .profile bats',
  c: 'h',
  cpp: 'c++ cc cxx hpp hh hxx arduino ino',
  csharp: 'c# cs',
  css: '',
  diff: 'patch',
  dockerfile: 'docker containerfile',
  go: 'golang',
  graphql: 'gql',
  ini: 'toml cfg conf properties editorconfig .gitconfig .npmrc env .env',
  java: '',
  javascript: 'js jsx mjs cjs node',
  json: 'jsonc json5 jsonl geojson webmanifest ipynb',
  kotlin: 'kt kts',
  lua: '',
  makefile: 'make mk mak',
  markdown: 'md mdx mkd',
  nginx: '',
  perl: 'pl pm',
  php: '',
  powershell: 'ps ps1 pwsh',
  python: 'py gyp pyi py3 python3',
  r: '',
  ruby: 'rb gemspec rake gemfile rakefile podspec',
  rust: 'rs',
  scss: 'sass less',
  sql: 'sqlite mysql postgres postgresql pgsql',
  swift: '',
  typescript: 'ts tsx mts cts',
  xml: 'html htm xhtml svg rss xsd xsl plist vue svelte',
  yaml: 'yml',
}

/** From each name, in lower case, to the one of the grammar. */
export const languages: ReadonlyMap<string, string> = new Map(
  Object.entries(names).flatMap(([name, others]) =>
    [name, ...others.split(' ').filter(Boolean)].map((other) => [other, name]),
  ),
)
