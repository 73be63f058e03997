/** Packages whose names differ from a well-known one by a slip of the fingers, as those of attackers do. */
import { defineRules } from './rule.ts'

const WELL_KNOWN = (
  'requests urllib3 beautifulsoup4 beautifulsoup selenium python-dateutil setuptools cryptography pandas matplotlib tensorflow pillow ' +
  'flask django fastapi pydantic sqlalchemy openai anthropic langchain transformers pytorch scikit-learn boto3 paramiko colorama ' +
  'pyyaml jinja2 aiohttp httpx uvicorn psycopg2 pymongo pygments websockets discord.py telethon web3 opencv-python streamlit gunicorn ' +
  'lodash moment express axios commander chalk webpack typescript prettier eslint nodemon puppeteer playwright mongoose dotenv cross-env ' +
  'react-dom next.js socket.io electron jquery bootstrap babel-cli body-parser async-mutex minimist request-promise discord.js ethers ' +
  'jsonwebtoken nodemailer cheerio sequelize passport redux rimraf winston'
).split(' ')

/** Real packages that are near to one of those. */
const REAL = new Set(
  'request colour djongo tslint nodemon2 preact pillow-simd redux-saga express-session commands expression moments requests2 passpport'.split(
    ' ',
  ),
)

/** Whether one name becomes the other by two letters that changed places, or one that is left out, doubled or replaced inside. */
export function isSlip(name: string, known: string): boolean {
  if (name === known || Math.abs(name.length - known.length) > 1 || known.length < 5 || name[0] !== known[0])
    return false
  let from = 0
  while (from < name.length && name[from] === known[from]) from += 1
  let end = 0
  while (end < Math.min(name.length, known.length) - from && name.at(-1 - end) === known.at(-1 - end)) end += 1
  const one = name.slice(from, name.length - end)
  const two = known.slice(from, known.length - end)
  if (one.length === 2 && two.length === 2) return one[0] === two[1] && one[1] === two[0]
  const isInside = end > 0
  if (one.length + two.length === 1) return isInside || (one !== '' && one === name[from - 1])
  return one.length === 1 && two.length === 1 && known.length >= 6 && (isInside || /\d/.test(one))
}

function isLookalike(argument: string): boolean {
  const name = argument
    .toLowerCase()
    .replace(/^["']|["']$/g, '')
    .replace(/(?:[=<>~![;]|(?<=.)@).*$/, '')
  if (WELL_KNOWN.includes(name) || REAL.has(name)) return false
  return WELL_KNOWN.some((known) => isSlip(name, known))
}

export const PACKAGES = defineRules('download-and-run', 'both', [
  {
    id: 'lookalike-package',
    severity: 'high',
    cue: 'any',
    pattern:
      /\b(?:pip[\d.]*|uv|pipx|poetry|npm|pnpm|yarn|bun)\s+(?:pip\s+)?(?:install|add|i)\s+([^\n;&|`)]{1,400})|\b(?:npx|uvx|bunx)\s+(?:-\S+\s+)*([\w@./=-]{1,80})/gi,
    message: 'installs a package whose name is that of a well-known one with a slip in it',
    weigh: (found) => ((found[1] ?? found[2] ?? '').split(/\s+/).slice(0, 60).some(isLookalike) ? 'high' : undefined),
  },
])
