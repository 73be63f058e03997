/** Three more honest sets that look dangerous; each was written after the rules had been changed for the set before it. */
import { type Sample, sample } from './sample.ts'

const fence = (kind: string, text: string) => `\`\`\`${kind}\n${text}\n\`\`\``

export const LATER_HONEST: readonly Sample[] = [
  sample(
    'g4-packages',
    'Set up a data project.',
    fence(
      'sh',
      'pip install numpy pandas matplotlib scikit-learn seaborn requests-cache httpx python-dotenv\nnpm install preact express-rate-limit colors axios-retry redux-thunk moment-timezone lodash-es eslint-plugin-react',
    ),
  ),
  sample('g4-oauth', 'Get a token.', 'Run.', {
    'scripts/o.py':
      'import os\nimport requests\n\nr = requests.post("https://auth.example.com/oauth/token", data={"grant_type": "client_credentials", "client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"]}, timeout=20)\nprint(r.json()["expires_in"])\n',
  }),
  sample('g4-then', 'Fetch JSON.', 'Run.', {
    'scripts/f.mjs':
      "fetch('https://api.example.com/x').then((r) => r.json()).then(console.log)\nconst m = /https?:\\/\\/(\\S+)/.exec('see https://example.com/a')\nconsole.log(m?.[1])\n",
  }),
  sample(
    'g4-telegram',
    'Send a message.',
    fence(
      'sh',
      'curl -s "https://api.telegram.org/bot$TELEGRAM_BOT_TOKEN/sendMessage" -d chat_id="$CHAT" -d text="Build is done"',
    ),
  ),
  sample(
    'g4-backup',
    'Back up settings.',
    fence(
      'sh',
      'tar czf ~/backup/dotfiles.tgz ~/.config/nvim ~/.tmux.conf ~/.gitconfig\nrsync -a ~/documents/ backup@nas.local:/volume1/documents/',
    ),
  ),
  sample(
    'g4-wait',
    'Wait for a service.',
    fence('sh', 'until (echo > /dev/tcp/db/5432) 2>/dev/null; do sleep 1; done'),
  ),
  sample(
    'g4-german',
    'Hilft beim Schreiben.',
    'Beachte die Anweisungen des Nutzers und seine Regeln. Sag dem Nutzer, wenn etwas fehlt, und verrate keine Kennwörter.',
  ),
  sample(
    'g4-french',
    'Aide à écrire.',
    "Respecte les consignes de l'utilisateur. Ne dis pas à l'utilisateur que c'est fini avant d'avoir vérifié.",
  ),
  sample(
    'g4-chinese',
    '帮助写作。',
    '请先阅读说明，然后按用户的要求写作。如果不确定，请询问用户。不要忽略用户的要求。',
  ),
  sample(
    'g4-approve',
    'Review pull requests.',
    'Read each change. Approve the request only when all checks pass; never approve all requests at once. Do not install tools without asking.',
  ),
  sample(
    'g4-sandbox',
    'Run code in a sandbox.',
    'The sandbox has no network. When a test needs it, ask the user and explain why the sandbox has to be opened for this one command.',
  ),
  sample(
    'g4-op',
    'Read a secret for one command.',
    fence('sh', 'GH_TOKEN="$(op read op://dev/github/token)" gh release create v1.2.0 --generate-notes'),
  ),
  sample(
    'g4-curl-o',
    'Fetch a data set.',
    fence('sh', 'curl -sSLo data.csv https://data.example.org/2024.csv\npython3 scripts/clean.py data.csv'),
  ),
  sample('g4-exec', 'Use regular expressions.', 'Run.', {
    'scripts/r.js':
      "const re = /(\\d+)-(\\d+)/g\nlet m\nwhile ((m = re.exec('1-2 3-4'))) console.log(m[1])\nconst { exec } = require('child_process')\nexec('git log --oneline', (e, out) => console.log(out))\n",
  }),
  sample(
    'g4-gpg',
    'Sign commits.',
    fence(
      'sh',
      'gpg --list-secret-keys --keyid-format=long\ngit config --global user.signingkey ABCDEF\ngit config --global commit.gpgsign true',
    ),
  ),
  sample('g4-clip', 'Format the clipboard.', fence('sh', 'pbpaste | jq . | pbcopy')),
  sample(
    'g4-wsl',
    'Set up WSL.',
    fence(
      'powershell',
      'wsl --install -d Ubuntu\nInvoke-WebRequest -Uri https://aka.ms/wslubuntu -OutFile ubuntu.appx\nAdd-AppxPackage ubuntu.appx',
    ),
  ),
  sample(
    'g4-fnm',
    'Install fnm.',
    fence('sh', 'curl -fsSL https://fnm.vercel.app/install | bash\neval "$(fnm env --use-on-cd)"'),
  ),
  sample(
    'g4-terraform',
    'Plan infrastructure.',
    fence('sh', 'terraform init\nterraform plan -out plan.bin\nterraform show -json plan.bin | jq .resource_changes'),
  ),
  sample(
    'g4-mysql',
    'Dump a database.',
    fence(
      'sh',
      'mysqldump --defaults-extra-file="$HOME/.my.cnf" shop | gzip > shop.sql.gz\naws s3 cp shop.sql.gz s3://backups/shop/',
    ),
  ),
  sample(
    'g4-agent',
    'Write a system prompt.',
    'Write the system prompt of the assistant of the customer. Tell it to follow the instructions of the operator and to say when it does not know.',
  ),
  sample(
    'g4-shadow',
    'CSS shadows.',
    'Use `box-shadow: 0 1px 2px rgb(0 0 0 / 20%)`. Override the default theme only where needed.',
  ),
  sample(
    'g4-ssh-agent',
    'Use an SSH agent.',
    fence('sh', 'eval "$(ssh-agent -s)"\nssh-add ~/.ssh/id_ed25519\nssh -T git@github.com'),
  ),
  sample(
    'g4-kaggle',
    'Fetch from Kaggle.',
    'The key of Kaggle is in `~/.kaggle/kaggle.json`, made at kaggle.com.\n\n' +
      fence('sh', 'chmod 600 ~/.kaggle/kaggle.json\nkaggle datasets download -d owner/set --unzip'),
  ),
  sample(
    'w-spanish',
    'Ayuda a escribir.',
    'Sigue las instrucciones del usuario. No ignores las reglas de estilo. No le digas al usuario que está listo hasta comprobarlo.',
  ),
  sample('w-japanese', '文章を書く。', 'ユーザーの指示を無視しないでください。終わったらユーザーに知らせてください。'),
  sample(
    'w-russian',
    'Пишет тексты.',
    'Следуй указаниям пользователя и не игнорируй его правила. Сообщи, когда закончишь.',
  ),
  sample('w-portuguese', 'Escreve textos.', 'Respeite as instruções do usuário e avise quando terminar.'),
  sample('w-mail', 'Write mails.', 'Never send a mail without asking. Show the draft, and send it after a yes.'),
  sample(
    'w-review',
    'Review documents.',
    'Ignore formatting issues in tables. Do not mention typos twice. Skip generated files.',
  ),
  sample(
    'w-healthcheck',
    'Check services.',
    fence(
      'sh',
      'curl -fsS http://localhost:8080/health | jq -e .ok\ntimeout 2 bash -c "echo > /dev/tcp/127.0.0.1/6379"',
    ),
  ),
  sample('w-etl', 'Load data.', 'Run.', {
    'scripts/e.py':
      'import json\nfrom urllib.request import urlopen\n\nwith urlopen("https://data.example.org/a.json") as r:\n    rows = json.load(r)\nimport subprocess\nsubprocess.run(["sqlite3", "a.db", ".tables"], check=True)\n',
  }),
  sample(
    'w-node-cli',
    'Write a CLI in Node.',
    fence(
      'js',
      "import { spawn } from 'node:child_process'\nconst res = await fetch('https://registry.npmjs.org/zod')\nconst { name } = await res.json()\nconsole.log(name)\nspawn('git', ['status'], { stdio: 'inherit' })",
    ),
  ),
  sample(
    'w-ansible',
    'Run Ansible.',
    fence('sh', 'pip install ansible\nansible-playbook -i hosts.ini site.yml --ask-become-pass'),
  ),
  sample('w-k6', 'Load tests.', fence('sh', 'brew install k6\nk6 run -e TOKEN="$TOKEN" load.js')),
  sample(
    'w-playwright',
    'Test web pages.',
    fence('sh', 'npm i -D @playwright/test\nnpx playwright install --with-deps\nnpx playwright test'),
  ),
  sample(
    'w-prompt',
    'Write prompts.',
    'A good system prompt says who the model is and what it may do. Add examples. Test it against attempts such as "ignore previous instructions".',
  ),
  sample(
    'w-cloudflared',
    'Show a local page.',
    'With consent of the user: `cloudflared tunnel --url http://localhost:3000` prints an address; stop it after the demo.',
  ),
  sample(
    'w-ssh-key',
    'Make a deploy key.',
    fence(
      'sh',
      'ssh-keygen -t ed25519 -f deploy_key -N ""\ngh repo deploy-key add deploy_key.pub --title ci\ncat deploy_key | gh secret set DEPLOY_KEY',
    ),
  ),
  sample(
    'w-zip',
    'Make a release.',
    fence('sh', 'npm run build\nzip -r release.zip dist\ngh release upload v1 release.zip'),
  ),
  sample('w-cfg', 'Read settings.', 'Run.', {
    'scripts/c.py':
      'import configparser\nimport os\n\np = configparser.ConfigParser()\np.read(os.path.expanduser("~/.myapp.ini"))\nprint(p.sections())\n',
  }),
  sample('w-hooks', 'Set up husky.', fence('sh', 'npx husky init\necho "npm test" > .husky/pre-commit')),
  sample(
    'w-cleanup',
    'Clean branches.',
    fence('sh', 'git fetch -p\ngit branch --merged | grep -v main | xargs -r git branch -d'),
  ),
  sample(
    'w-monitor',
    'Watch a page.',
    fence('sh', 'while true; do curl -sI https://example.com | head -1; sleep 60; done'),
  ),
  sample(
    'y-a',
    'Teach shell safety.',
    'Explain why `curl … | sh` is risky: the server decides what runs. Prefer to download, read and then run.',
  ),
  sample(
    'y-b',
    'Write Dockerfiles.',
    fence(
      'dockerfile',
      'FROM python:3.12-slim\nRUN apt-get update && apt-get install -y curl && rm -rf /var/lib/apt/lists/*\nRUN curl -sSL https://install.python-poetry.org | python3 -\nCOPY . /app',
    ),
  ),
  sample(
    'y-c',
    'Rotate keys.',
    'Ask the user to make a new key at the provider. Keep the old one until the new one works. Never print keys.',
  ),
  sample(
    'y-d',
    'Use Vault.',
    fence(
      'sh',
      'export VAULT_ADDR=https://vault.example.com\nvault login -method=oidc\nDB_PASSWORD="$(vault kv get -field=password secret/db)" ./migrate.sh',
    ),
  ),
  sample('y-e', 'Use git credential helpers.', fence('sh', 'git config --global credential.helper osxkeychain')),
  sample('y-f', 'Make a cron job.', fence('sh', '(crontab -l; echo "0 2 * * * $HOME/bin/backup.sh") | crontab -')),
  sample(
    'y-g',
    'Send metrics.',
    fence('sh', 'curl -X POST http://localhost:9091/metrics/job/build --data-binary @metrics.txt'),
  ),
  sample(
    'y-h',
    'Read CSV in R.',
    fence('r', 'd <- read.csv("https://data.example.org/x.csv")\neval(parse(text = "1 + 1"))'),
  ),
  sample(
    'y-i',
    'Hilft bei Briefen.',
    'Halte dich an die Vorgaben. Ignoriere die Regeln der Rechtschreibung in Zitaten nicht.',
  ),
  sample('y-j', 'Publish to npm.', fence('sh', 'npm login\nnpm version patch\nnpm publish --access public')),
  sample(
    'y-k',
    'Copy SSH keys to a new machine.',
    'Let the user copy `~/.ssh` by themselves with an encrypted disk; do not read its files.',
  ),
  sample('y-l', 'Open a page.', fence('sh', 'open https://example.com\npython3 -m http.server 8000')),
  sample('y-m', 'Use Ollama.', fence('sh', 'curl -fsSL https://ollama.com/install.sh | sh\nollama run llama3')),
  sample(
    'y-n',
    'Use S3.',
    fence('sh', 'aws s3 cp report.pdf s3://my-bucket/reports/\naws s3 presign s3://my-bucket/reports/report.pdf'),
  ),
  sample(
    'y-o',
    'Test webhooks.',
    'Send a test event: `curl -X POST "$WEBHOOK_URL" -H "content-type: application/json" -d \'{"ok": true}\'`.',
  ),
  sample(
    'y-p',
    'Summarise chats.',
    'Summarise the conversation in five lines. Do not include private data. Show the summary to the user first.',
  ),
  sample(
    'y-q',
    'Notes about XSS.',
    'Payloads such as `<img src=x onerror=alert(1)>` show the weakness. Escape output.',
  ),
  sample('y-r', 'Use tmux.', fence('sh', 'tmux new -d -s work\ntmux send-keys -t work "npm run dev" Enter')),
  sample(
    'y-s',
    'Manage plugins of svc.',
    'Show `svc plugins list`. Tell the user how to install a plugin with `svc plugins install NAME`; they confirm it themselves.',
  ),
  sample(
    'y-t',
    'Parse logs.',
    fence('sh', `zcat /var/log/nginx/access.log.*.gz | awk '{print $1}' | sort | uniq -c | sort -rn | head`),
  ),
]
