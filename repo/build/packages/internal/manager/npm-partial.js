// Installs what can be had of the packages of this folder: npm gives up at the first package that it cannot
// get, so that package is taken out of the copies of the lock file and the manifests, and npm is run again.
// Writes the packages that were taken out to lacking.tsv in the temporary folder.
const { spawnSync } = require('child_process')
const fs = require('fs')
const path = require('path')

const tmp = process.env.TMPDIR
const flags = ['--ignore-scripts', '--no-audit', '--no-fund']
const maps = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
const lockName = ['npm-shrinkwrap.json', 'package-lock.json'].find((f) => fs.existsSync(f))
const lacking = new Map()

const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8'))
const write = (file, value) => fs.writeFileSync(file, JSON.stringify(value, null, 2))
const nameAt = (key, entry) => entry.name || key.slice(key.lastIndexOf('node_modules/') + 13)

function attempt() {
  const logs = path.join(process.env.npm_config_cache || path.join(tmp, 'npm'), '_logs')
  fs.rmSync(logs, { recursive: true, force: true })
  const verb = lockName ? 'ci' : 'install'
  const run = spawnSync('npm', [verb, ...flags], { encoding: 'utf8', maxBuffer: 64 << 20 })
  let text = (run.stderr || '') + '\n'
  for (const f of fs.existsSync(logs) ? fs.readdirSync(logs) : []) {
    text += fs.readFileSync(path.join(logs, f), 'utf8')
  }
  return { ok: run.status === 0, text }
}

// failures returns the addresses that npm could not get, with the reason of each.
function failures(text) {
  const found = new Map()
  for (const m of text.matchAll(/http fetch GET ([45]\d\d) (https?:\S+)/g)) found.set(m[2], m[1])
  for (const m of text.matchAll(/\b([45]\d\d) [^\n]*? - GET (https?:\S+)/g)) found.set(m[2], m[1])
  for (const m of text.matchAll(/request to (https?:\S+) failed, reason: ([^\n]*)/g)) found.set(m[1], m[2])
  for (const m of text.matchAll(/(?:ls-remote|clone) [^\n]*?((?:ssh|https?|git):\/\/\S+)/g)) found.set(m[1], 'git failed')
  return found
}

const place = (url) => decodeURIComponent(url.replace(/^git\+/, '').replace(/[#?].*$/, ''))
  .replace(/^[a-z]+:\/\/(?:[^/@]*@)?[^/]+/, '').replace(/\.git$/, '')

// resolve returns the key of the package that a package's dependency leads to.
function resolve(packages, from, name) {
  for (let at = from; ; ) {
    const key = (at ? at + '/' : '') + 'node_modules/' + name
    if (packages[key]) return key
    if (!at) return ''
    const up = at.lastIndexOf('/node_modules/')
    at = up >= 0 ? at.slice(0, up) : at.startsWith('node_modules/') || !at.includes('/') ? '' : path.dirname(at)
  }
}

function takeOutOfLock(failed) {
  const lock = read(lockName)
  const packages = lock.packages
  if (!packages) return false // of npm 6
  const gone = new Set()
  for (const [key, entry] of Object.entries(packages)) {
    const name = nameAt(key, entry)
    const at = entry.resolved ? place(entry.resolved) : ''
    for (const [url, why] of failed) {
      const asked = place(url)
      if (key && (at === asked || asked.endsWith('/' + name) || asked.endsWith(`/${name}/-/${path.basename(name)}-${entry.version}.tgz`))) {
        gone.add(key)
        lacking.set(name + ' ' + entry.version, [name, entry.version || '', url, why])
      }
    }
  }
  if (!gone.size) return false
  for (const key of Object.keys(packages)) {
    if ([...gone].some((g) => key.startsWith(g + '/'))) gone.add(key)
  }
  for (const [key, entry] of Object.entries(packages)) {
    const lost = []
    for (const map of maps) {
      for (const name of Object.keys(entry[map] || {})) {
        if (gone.has(resolve(packages, key, name))) {
          delete entry[map][name]
          lost.push([map, name])
        }
      }
    }
    if (lost.length && !key.includes('node_modules/')) takeOutOfManifest(path.join(key, 'package.json'), lost)
  }
  for (const key of gone) delete packages[key]
  delete lock.dependencies // for npm 6
  write(lockName, lock)
  return true
}

function takeOutOfManifest(file, lost) {
  if (!fs.existsSync(file)) return
  const manifest = read(file)
  for (const [map, name] of lost) if (manifest[map]) delete manifest[map][name]
  write(file, manifest)
}

function takeOutOfManifests(failed) {
  const manifest = read('package.json')
  let some = false
  for (const map of maps) {
    for (const name of Object.keys(manifest[map] || {})) {
      for (const [url, why] of failed) {
        if (!place(url).endsWith('/' + name) && !place(url).includes(`/${name}/-/`)) continue
        lacking.set(name, [name, manifest[map][name], url, why])
        takeOutOfManifest('package.json', [[map, name]])
        some = true
      }
    }
  }
  return some
}

for (let i = 0; i < 40; i++) {
  const { ok, text } = attempt()
  if (ok) break
  const failed = failures(text)
  if (i === 39 || !(lockName ? takeOutOfLock(failed) : takeOutOfManifests(failed))) {
    process.stderr.write(text.slice(-3000))
    process.exit(1)
  }
}
const line = (fields) => fields.map((f) => String(f).replace(/[\t\n\r]/g, ' ')).join('\t') + '\n'
fs.writeFileSync(path.join(tmp, 'lacking.tsv'), [...lacking.values()].map(line).join(''))
const some = fs.existsSync('node_modules') && fs.readdirSync('node_modules').some((n) => !n.startsWith('.'))
process.exit(lacking.size && some ? 0 : 1)
