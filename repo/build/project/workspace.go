package project

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A member is a package of a workspace: a folder with a manifest of its own.
type member struct {
	name   string   // as its manifest names it
	folder string   // in the folder of the workspace
	needs  []string // the names of the packages that its manifest depends on
	tests  bool     // it can be tested alone
}

// memberManifests match, by kind, the manifests of members below the folder of a workspace.
var memberManifests = map[string]*regexp.Regexp{
	"node":   regexp.MustCompile(`^[^/]+/(?:[^/]+/)?package\.json$`),
	"rust":   regexp.MustCompile(`^[^/]+/(?:[^/]+/)?Cargo\.toml$`),
	"python": regexp.MustCompile(`^[^/]+/(?:[^/]+/)?pyproject\.toml$`),
}

// members returns the packages of the workspace at the top of the tree. It returns none if the tree is no
// workspace.
func (t tree) members(kind string) (out []member) {
	if match := memberManifests[kind]; match != nil && t.isWorkspace(kind) {
		for _, file := range t.findFiles(match) {
			if m := readMember(kind, t.readText(file)); m.name != "" {
				m.folder = path.Dir(file)
				out = append(out, m)
			}
		}
	}
	return out
}

func (t tree) isWorkspace(kind string) bool {
	switch kind {
	case "node":
		return t.hasFile("pnpm-workspace.yaml") || t.hasFile("lerna.json") ||
			strings.Contains(t.readText("package.json"), `"workspaces"`)
	case "rust":
		return cargoWorkspace.MatchString(t.readText("Cargo.toml"))
	}
	return true // packages of Python depend on each other by their names alone
}

var (
	tomlName   = regexp.MustCompile(`(?m)^\s*name\s*=\s*["']([\w.@/-]+)["']`)
	tomlNeeded = regexp.MustCompile(
		`(?m)^\s*["']?([\w-]+)["']?\s*(?:\.\w+)?\s*=|["']([\w.-]+)(?:[^"'\n]*)["']\s*(?:,|\]|$)`)
)

// readMember reads a manifest. Of TOML it takes every name that could be that of a package.
func readMember(kind, text string) (m member) {
	if kind != "node" {
		if name := tomlName.FindStringSubmatch(text); name != nil {
			m.name = name[1]
		}
		for _, needed := range tomlNeeded.FindAllStringSubmatch(text, -1) {
			m.needs = append(m.needs, needed[1]+needed[2])
		}
		m.tests = true
		return m
	}
	var manifest struct {
		Name    string            `json:"name"`
		Scripts map[string]string `json:"scripts"`
		Needs   map[string]string `json:"dependencies"`
		Dev     map[string]string `json:"devDependencies"`
		Peer    map[string]string `json:"peerDependencies"`
	}
	if json.Unmarshal([]byte(text), &manifest) != nil {
		return m
	}
	m.name = manifest.Name
	test := manifest.Scripts["test"]
	m.tests = test != "" && !strings.Contains(test, "no test specified")
	for _, needs := range []map[string]string{manifest.Needs, manifest.Dev, manifest.Peer} {
		for name := range needs {
			m.needs = append(m.needs, name)
		}
	}
	return m
}

// membersNear returns the packages with changed files, then those that depend on them, directly or through
// others. It returns none if a changed file of code is in no package, since it may be used by all.
func membersNear(all []member, changed []string) (near []member) {
	for _, file := range changed {
		at := -1
		for i, m := range all {
			inside := strings.HasPrefix(file, m.folder+"/")
			if inside && (at < 0 || len(m.folder) > len(all[at].folder)) {
				at = i
			}
		}
		switch {
		case at < 0 && IsCode(file):
			return nil
		case at >= 0 && !hasMember(near, all[at]):
			near = append(near, all[at])
		}
	}
	for i := 0; i < len(near); i++ {
		for _, m := range all {
			if slices.Contains(m.needs, near[i].name) && !hasMember(near, m) {
				near = append(near, m)
			}
		}
	}
	return near
}

func hasMember(list []member, m member) bool {
	return slices.ContainsFunc(list, func(k member) bool { return k.folder == m.folder })
}

// cargoAll matches a call for all packages of a workspace.
var cargoAll = regexp.MustCompile(
	`^cargo test --no-fail-fast(?: --workspace| --all| --locked| --all-features| --offline)*$`)

// runsMembers matches a script that runs the tests of each package of a workspace.
var runsMembers = regexp.MustCompile(
	`--workspaces|-ws\b|\bpnpm (?:-r|--recursive|-[\w-]*r)\b|pnpm .*--filter|` +
		`yarn workspaces|\b(?:lerna|turbo|nx|wsrun|ultra)\b|bun .*--filter`)

// workspaceParts splits the tests of a workspace: those of the packages near the change, and the others. call
// is the test command in the folder start.
func (p Project) workspaceParts(root fs.FS, start, call string, changed []string) (near, rest string) {
	below, err := fs.Sub(root, start)
	if err != nil {
		return "", ""
	}
	t := tree{FS: below}
	all := t.members(p.Kind)
	if start != "." {
		changed = filesBelow(start, changed)
	}
	packages := membersNear(all, changed)
	if len(packages) == 0 || len(packages) == len(all) || len(packages) > maxNear {
		return "", ""
	}
	var names, folders []string
	for _, m := range packages {
		names = append(names, m.name)
		folders = append(folders, m.folder)
	}
	switch p.Kind {
	case "rust":
		if !cargoAll.MatchString(call) {
			return "", ""
		}
		one := strings.NewReplacer(" --workspace", "", " --all ", " ").Replace(call)
		return one + flagged(" -p ", names), one + " --workspace" + flagged(" --exclude ", names)
	case "python":
		if pytestRun.MatchString(call) {
			return call + " -x" + quoteAll(folders), ""
		}
		return "", ""
	}
	return t.nodeParts(call, packages, folders), ""
}

// nodeParts returns the call for the packages in the folders: of the package manager if the script of the top
// runs the tests of each package, and otherwise of the runner if it takes folders.
func (t tree) nodeParts(call string, packages []member, folders []string) string {
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	_ = json.Unmarshal([]byte(t.readText("package.json")), &manifest)
	manager, isScript := strings.CutSuffix(call, " test")
	if !isScript || !runsMembers.MatchString(manifest.Scripts["test"]) {
		for _, r := range nearFlags {
			if strings.Contains(call, "--verbose") || strings.Contains(call, "--reporter=verbose") {
				if r.call.MatchString(call) { // jest and vitest take parts of paths
					return call + r.flags + quoteAll(folders)
				}
			}
		}
		return ""
	}
	var names []string
	for _, m := range packages {
		if m.tests {
			names = append(names, m.name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case manager == "npm":
		return "npm test --if-present" + flagged(" -w ", names)
	case manager == "pnpm":
		return "pnpm" + flagged(" --filter ", names) + " test"
	case manager == "yarn":
		for i, name := range names {
			names[i] = "yarn workspace " + shellQuote(name) + " run test"
		}
		return strings.Join(names, " && ")
	}
	return "bun" + flagged(" --filter ", names) + " test"
}

// flagged returns each word quoted, after the flag.
func flagged(flag string, words []string) (line string) {
	for _, w := range words {
		line += flag + shellQuote(w)
	}
	return line
}
