package manager

import (
	"encoding/json"
	"regexp"
)

// nodeManifest are the files by which the managers of Node know what they are to do.
var nodeManifest = regexp.MustCompile(`^(package(-lock)?\.json|npm-shrinkwrap\.json|\.npmrc|\.yarnrc(\.yml)?|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?)$`)

const npmRegistry = "registry.npmjs.org"

var npm = Manager{
	Name: "npm", Kind: "node",
	Locks:    regexp.MustCompile(`^(package-lock|npm-shrinkwrap)\.json$`),
	Loose:    regexp.MustCompile(`^package\.json$`),
	Read:     readNodeManifest,
	Manifest: nodeManifest,
	Fetch:    fetchNPM,
	Pins:     []string{"package-lock.json"},
	Vendored: "node_modules",
	Version:  "node --version && npm --version",
	Hosts:    []string{npmRegistry},
}

// fetchNPM resolves where nothing is exact, and then goes by what it resolved. Packages whose
// peers contradict each other are taken as older versions of npm take them.
func fetchNPM(_ []string, exact bool) string {
	const flags = " --ignore-scripts --no-audit --no-fund"
	if exact {
		return "npm ci" + flags
	}
	return `verb=install; if test -f package-lock.json; then verb=ci; fi
npm $verb` + flags + ` 2>"$TMPDIR/npm.err" || { cat "$TMPDIR/npm.err" >&2; grep -q ERESOLVE "$TMPDIR/npm.err" && npm $verb --legacy-peer-deps` + flags + `; }`
}

// readNodeManifest reports whether a package.json names packages, itself or in the folders of its
// workspaces.
func readNodeManifest(_, text string) (names, exact bool) {
	var m struct {
		Dependencies, DevDependencies, OptionalDependencies, PeerDependencies map[string]any
		Workspaces                                                            any
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return false, false // its own tools will say what is wrong with it
	}
	return len(m.Dependencies)+len(m.DevDependencies)+len(m.OptionalDependencies)+len(m.PeerDependencies) > 0 || m.Workspaces != nil, false
}
