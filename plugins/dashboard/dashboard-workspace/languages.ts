/** The language of a text by its name, as editors and highlighters call it. */
import { basename, extname } from 'node:path'

const BY_ENDING: Readonly<Record<string, string>> = {
  '.c': 'c',
  '.cc': 'cpp',
  '.cpp': 'cpp',
  '.cs': 'csharp',
  '.css': 'css',
  '.go': 'go',
  '.h': 'c',
  '.hpp': 'cpp',
  '.html': 'html',
  '.java': 'java',
  '.js': 'javascript',
  '.json': 'json',
  '.jsx': 'javascript',
  '.kt': 'kotlin',
  '.lua': 'lua',
  '.md': 'markdown',
  '.mjs': 'javascript',
  '.php': 'php',
  '.ps1': 'powershell',
  '.py': 'python',
  '.rb': 'ruby',
  '.rs': 'rust',
  '.scss': 'scss',
  '.sh': 'bash',
  '.sql': 'sql',
  '.svg': 'xml',
  '.swift': 'swift',
  '.toml': 'toml',
  '.ts': 'typescript',
  '.tsx': 'typescript',
  '.xml': 'xml',
  '.yaml': 'yaml',
  '.yml': 'yaml',
}
const BY_NAME: Readonly<Record<string, string>> = { dockerfile: 'dockerfile', makefile: 'makefile' }

/** Undefined for a name that says nothing about it. */
export function findLanguage(name: string): string | undefined {
  return BY_NAME[basename(name).toLowerCase()] ?? BY_ENDING[extname(name).toLowerCase()]
}
