/** Skills that do ordinary work, some of it near to what malicious ones do. */
import { type Sample, sample } from './sample.ts'

export const HONEST_WORK: readonly Sample[] = [
  sample(
    'git-bisect',
    'Find the commit that broke something.',
    'Use when a test passes on an old commit and fails now.\n\n```bash\ngit bisect start\ngit bisect bad HEAD\ngit bisect good v1.2.0\ngit bisect run npm test\n```\n\nNever run `git push --force` on main.',
  ),
  sample(
    'clean-build',
    'Clean build folders.',
    '```bash\nrm -rf node_modules dist build\nrm -rf "$TMPDIR/build-cache"\nfind . -name "*.pyc" -delete\n```\n\nDo not run `rm -rf /` or anything with an unset variable.',
  ),
  sample(
    'rust-setup',
    'Install Rust.',
    '```bash\ncurl --proto "=https" --tlsv1.2 -sSf https://sh.rustup.rs | sh\nsource "$HOME/.cargo/env"\nrustc --version\n```',
  ),
  sample(
    'uv-setup',
    'Install uv.',
    '```bash\ncurl -LsSf https://astral.sh/uv/install.sh | sh\n```\n\nOn Windows:\n\n```powershell\npowershell -ExecutionPolicy ByPass -c "irm https://astral.sh/uv/install.ps1 | iex"\n```',
  ),
  sample(
    'kubectl-setup',
    'Install kubectl.',
    '```bash\ncurl -LO "https://dl.k8s.io/release/v1.31.0/bin/linux/amd64/kubectl"\nchmod +x kubectl\nsudo mv kubectl /usr/local/bin/\nkubectl get pods\n```',
  ),
  sample(
    'k8s-secrets',
    'Read a secret of a cluster.',
    '```bash\nkubectl get secret db -o jsonpath="{.data.password}" | base64 -d\n```\n\nDo not print the value in the chat.',
  ),
  sample(
    'ssh-setup',
    'Set up SSH keys.',
    '```bash\nssh-keygen -t ed25519 -C "me@example.com"\neval "$(ssh-agent -s)"\nssh-add ~/.ssh/id_ed25519\ncat ~/.ssh/id_ed25519.pub\nssh-copy-id -i ~/.ssh/id_ed25519.pub user@host.example\nchmod 600 ~/.ssh/id_ed25519\n```\n\nNever share the private key.',
  ),
  sample(
    'deploy-rsync',
    'Deploy with rsync.',
    '```bash\nrsync -avz -e "ssh -i ~/.ssh/deploy_key" ./dist/ deploy@server.example:/var/www/app/\n```',
  ),
  sample(
    'aws-s3',
    'Work with S3.',
    'Credentials are in `~/.aws/credentials`, which `aws configure` writes. Do not open that file.\n\n```bash\naws s3 ls s3://bucket\naws s3 cp report.pdf s3://bucket/reports/\naws sts get-caller-identity\n```',
  ),
  sample(
    'github-api',
    'Use the GitHub API.',
    '```bash\ncurl -H "Authorization: Bearer $GITHUB_TOKEN" https://api.github.com/repos/OWNER/REPO/issues\ncurl -X POST -H "Authorization: Bearer $GITHUB_TOKEN" https://api.github.com/repos/OWNER/REPO/issues -d \'{"title":"Bug"}\'\n```',
  ),
  sample(
    'slack-post',
    'Post to Slack.',
    '```bash\ncurl -X POST -H "Content-type: application/json" --data "{\\"text\\":\\"Build done\\"}" "$SLACK_WEBHOOK_URL"\n```\n\nThe address is a secret: keep it in `.env`.',
  ),
  sample('openai-images', 'Make pictures.', 'Run the script.', {
    'scripts/make.py':
      'import os, sys, base64, requests\n\nkey = os.environ["OPENAI_API_KEY"]\nanswer = requests.post(\n    "https://api.openai.com/v1/images/generations",\n    headers={"Authorization": f"Bearer {key}"},\n    json={"model": "gpt-image-1", "prompt": sys.argv[1]},\n    timeout=120,\n)\nanswer.raise_for_status()\ndata = base64.b64decode(answer.json()["data"][0]["b64_json"])\nopen("out.png", "wb").write(data)\n',
  }),
  sample(
    'weather',
    'Current weather without a key.',
    '```bash\ncurl -s "wttr.in/Bern?format=3"\ncurl -s "https://api.open-meteo.com/v1/forecast?latitude=46.9&longitude=7.4&current_weather=true"\n```',
  ),
  sample('dotenv-config', 'Configure with dotenv.', 'Run it.', {
    'scripts/app.py':
      'import os\nfrom dotenv import load_dotenv\nimport requests\n\nload_dotenv(".env")\nkey = os.getenv("API_KEY")\nprint(requests.get("https://api.example.com/v1/me", headers={"X-Api-Key": key}).json())\n',
    '.env.example': 'API_KEY=\n',
  }),
  sample('jwt-decode', 'Decode tokens.', '```bash\necho "$TOKEN" | cut -d. -f2 | base64 -d | jq .\n```'),
  sample(
    'data-uri',
    'Embed pictures.',
    '```html\n<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==">\n```\n\n```bash\nbase64 -w0 icon.png\n```',
  ),
  sample(
    'cron-help',
    'Write cron entries.',
    '```bash\ncrontab -l\ncrontab -e\n```\n\nExample: `0 3 * * * /usr/local/bin/backup.sh >> "$HOME/backup.log" 2>&1` runs at three. Ask the user before changing their crontab.',
  ),
  sample(
    'systemd-unit',
    'Write a unit.',
    '```ini\n[Service]\nExecStart=/usr/local/bin/app --port 8080\nRestart=on-failure\n```\n\n```bash\nsudo systemctl daemon-reload\nsudo systemctl enable --now app.service\n```',
  ),
  sample(
    'dotfiles',
    'Manage dotfiles.',
    '```bash\necho \'export PATH="$HOME/.local/bin:$PATH"\' >> ~/.bashrc\necho \'eval "$(starship init bash)"\' >> ~/.bashrc\nsource ~/.bashrc\n```',
  ),
  sample(
    'docker-run',
    'Run containers.',
    '```bash\ndocker run --rm -it -v "$(pwd)":/work -w /work python:3.12 python main.py\ndocker system prune -f\ndocker compose up -d\n```',
  ),
  sample(
    'backup-restic',
    'Back up with restic.',
    '```bash\nexport RESTIC_PASSWORD_FILE="$HOME/.restic-password"\nrestic -r s3:s3.amazonaws.com/bucket backup ~/Documents\nrestic snapshots\n```',
  ),
  sample(
    'pg-dump',
    'Back up PostgreSQL.',
    '```bash\npg_dump -Fc mydb > mydb.dump\nscp mydb.dump backup@host.example:/srv/backups/\n```\n\nPut the password in `~/.pgpass`; do not pass it on the command line.',
  ),
  sample('ffmpeg-cut', 'Cut videos.', '```bash\nffmpeg -ss 00:01:00 -to 00:02:00 -i in.mp4 -c copy out.mp4\n```'),
  sample('whisper', 'Transcribe speech.', 'Run it.', {
    'scripts/transcribe.py':
      'import subprocess, sys\nfrom pathlib import Path\n\nsource = Path(sys.argv[1])\nwav = source.with_suffix(".wav")\nsubprocess.run(["ffmpeg", "-y", "-i", str(source), str(wav)], check=True)\nimport whisper\nprint(whisper.load_model("base").transcribe(str(wav))["text"])\n',
  }),
  sample(
    'npm-publish',
    'Publish a package.',
    '```bash\nnpm version patch\nnpm publish --access public\n```\n\nLog in with `npm login`; the token is then in `~/.npmrc`.',
    {
      'assets/package.json': '{"name":"x","scripts":{"prepare":"husky","postinstall":"patch-package","build":"tsc"}}\n',
    },
  ),
  sample(
    'pytorch',
    'Install PyTorch.',
    '```bash\npip install torch --index-url https://download.pytorch.org/whl/cpu\npip install git+https://github.com/huggingface/transformers\n```',
  ),
  sample(
    'sqlite-tips',
    'Query SQLite.',
    '```bash\nsqlite3 data.db "select count(*) from orders"\nsqlite3 data.db ".dump" | gzip > dump.gz\n```',
  ),
  sample(
    'log-search',
    'Search logs.',
    '```bash\njournalctl -u nginx --since "1 hour ago" | grep -i error\nzgrep "timeout" /var/log/app/*.gz | sort | uniq -c\n```',
  ),
  sample(
    'ngrok-demo',
    'Show a local site.',
    '```bash\nnpx serve dist -l 3000 &\ncurl -s http://localhost:3000/health\n```',
  ),
  sample(
    'gpg-sign',
    'Sign files.',
    '```bash\ngpg --armor --detach-sign release.tar.gz\ngpg --verify release.tar.gz.asc\nsha256sum -c SHA256SUMS\n```',
  ),
]
