package manager

import (
	_ "embed"
	"encoding/json"
	"regexp"
)

// nodeManifest matches the files that configure the package managers of Node.
var nodeManifest = regexp.MustCompile(`^(package(-lock)?\.json|npm-shrinkwrap\.json|\.npmrc|` +
	`\.yarnrc(\.yml)?|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?)$`)

const npmRegistry = "registry.npmjs.org"

//go:embed npm-partial.js
var npmPartial string

var npm = Manager{
	Name: "npm", Kind: "node",
	Locks:      regexp.MustCompile(`^(package-lock|npm-shrinkwrap)\.json$`),
	Manifests:  regexp.MustCompile(`^package\.json$`),
	Read:       readNodeManifest,
	ExtraFiles: nodeManifest,
	Fetch:      fetchNPM,
	Partial:    `node "$TMPDIR/npm-partial.js"`,
	Helpers:    map[string]string{"npm-partial.js": npmPartial},
	Pins:       []string{"package-lock.json"},
	Vendored:   "node_modules",
	Version:    "node --version && npm --version",
	Hosts:      []string{npmRegistry},
}

// fetchNPM returns the command line for npm. Without a lock file, it resolves the versions, or uses those of
// an earlier run. If peer dependencies conflict, it installs them as older versions of npm do.
func fetchNPM(_ []string, exact bool) string {
	const flags = " --ignore-scripts --no-audit --no-fund"
	if exact {
		return "npm ci" + flags
	}
	return `verb=install; if test -f package-lock.json; then verb=ci; fi
npm $verb` + flags + ` 2>"$TMPDIR/npm.err" || { cat "$TMPDIR/npm.err" >&2; ` +
		`grep -q ERESOLVE "$TMPDIR/npm.err" && npm $verb --legacy-peer-deps` + flags + `; }`
}

// readNodeManifest reports whether a package.json names packages, or has workspaces whose folders may name
// them.
func readNodeManifest(_, text string) (names, exact bool) {
	var m struct {
		Dependencies, DevDependencies, OptionalDependencies, PeerDependencies map[string]any
		Workspaces                                                            any
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return false, false // the project's own tools report the error
	}
	return len(m.Dependencies)+len(m.DevDependencies)+len(m.OptionalDependencies)+
		len(m.PeerDependencies) > 0 || m.Workspaces != nil, false
}
