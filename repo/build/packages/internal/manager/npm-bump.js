// Writes another version of a package into package.json and the lock file. The way in which package.json names
// its version (exact, ~ or ^) stays.
const { spawnSync } = require('child_process')
const fs = require('fs')
const path = require('path')

const { NAME, VERSION } = process.env
const flags = ['--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund']
const maps = ['dependencies', 'devDependencies', 'optionalDependencies']
const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8'))

function npm(args) {
  const run = spawnSync('npm', args, { stdio: 'inherit' })
  if (run.status !== 0) process.exit(run.status || 1)
}

const lockName = ['npm-shrinkwrap.json', 'package-lock.json'].find((f) => fs.existsSync(f))
const lock = lockName ? read(lockName) : {}
const folders = ['', ...Object.keys(lock.packages || {}).filter((k) => k && !k.includes('node_modules'))]
let direct = false
for (const folder of folders) {
  const file = path.join(folder, 'package.json')
  if (!fs.existsSync(file)) continue
  const manifest = read(file)
  const map = maps.find((m) => (manifest[m] || {})[NAME])
  if (!map) continue
  direct = true
  const spec = manifest[map][NAME]
  const prefix = spec.startsWith('~') ? ['--save-prefix=~'] : /^[0-9=]/.test(spec) ? ['--save-exact'] : []
  npm(['install', `${NAME}@${VERSION}`, ...prefix, ...flags, ...(folder ? ['-w', folder] : [])])
}
if (!direct) npm(['update', NAME, ...flags])
