package manager

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Manager describes one package manager. Each has its own source file and an entry in All.
type Manager struct {
	// the name of the program
	Name string
	// of project: go, node, python, rust, ruby, php, java
	Kind string
	// Locks matches files that name packages with exact versions, Manifests those that name packages without.
	// In a folder without a lock file, the versions of the manifests are resolved once and stored.
	Locks, Manifests *regexp.Regexp
	// Read reports whether a manifest names packages, and whether with exact versions. If Read is nil, the
	// file names packages, but not with exact versions.
	Read func(base, text string) (names, exact bool)
	// SeparateProject reports whether a folder with a manifest is a separate project even if the file names
	// no packages, so that the folders below it are not searched.
	SeparateProject bool
	// further files that the tool needs
	ExtraFiles *regexp.Regexp
	// Needs reports whether the tool needs a file that ExtraFiles does not match, and Stub whether only the
	// file's name matters; nil: no such files.
	Needs, Stub func(file string) bool
	// Fetch returns the command line that fetches the packages. files are the files of the folder that name
	// packages. If exact is false, the files of Pins may exist from an earlier run.
	Fetch func(files []string, exact bool) string
	// files that Fetch writes into the folder if exact is false, and uses in later runs
	Pins []string
	// Partial is the command line that fetches what can be had after Fetch has failed, in the same folder.
	// It writes a line for each package that cannot be had into LackingFile: name, version, address and
	// reason, with tabs between them, of which all but the name may be empty. It fails if it can fetch
	// nothing. Empty: the tool can do nothing without all packages.
	Partial string
	// files that Fetch and Partial expect in $TMPDIR, by name
	Helpers map[string]string
	// a folder beside the lock file that holds the packages if the repository itself contains them
	Vendored string
	// the command line that prints the version of the tool
	Version string
	// the hosts of its registry
	Hosts []string
}

// LackingFile is the name of the file in $TMPDIR that Partial writes.
const LackingFile = "lacking.tsv"

// All lists the package managers in the order in which they run. In a folder with files of several managers
// of one kind, the first manager with a lock file is used, or else the first one.
var All = []Manager{goModules, pnpm, npm, yarn, pip, cargo, bundler, composer, maven, gradle}

// WantsFile reports whether the commands need a file, and whether its name is enough.
func (m Manager) WantsFile(file string) (wants, nameOnly bool) {
	base := path.Base(file)
	switch {
	case m.ExtraFiles.MatchString(base), m.matches(base), m.Needs != nil && m.Needs(file):
		return true, false
	case m.Stub != nil && m.Stub(file):
		return true, true
	}
	return false, false
}

// ReadsManifests reports whether what the tool fetches or links also depends on manifests that the files with
// exact versions do not repeat: of yarn 1 the workspaces, of maven and gradle the modules below the top, of
// composer the folders of the project's own code.
func (m Manager) ReadsManifests() bool {
	return m.Kind == "go" || m.Kind == "python" || m.Kind == "java" || m.Kind == "php" || m.Name == "yarn"
}

// matches reports whether a file of this name may name packages.
func (m Manager) matches(base string) bool {
	return m.Locks != nil && m.Locks.MatchString(base) || m.Manifests != nil && m.Manifests.MatchString(base)
}

// A Find is the result of FindIn.
type Find struct {
	Manager Manager
	Files   []string // the files of the folder that name packages
	Exact   bool     // whether they name exact versions
}

// FindIn looks for a manager of a kind in a folder. bases are the names of the folder's files, and read
// returns the text of a file. FindIn returns false if the folder has no project of that kind. Files is empty
// if the project names no packages.
func FindIn(kind string, bases []string, read func(base string) (string, error)) (Find, bool, error) {
	for _, m := range All {
		if m.Kind != kind || m.Locks == nil {
			continue
		}
		if locks := matching(m.Locks, bases); len(locks) > 0 {
			return Find{m, locks, true}, true, nil
		}
	}
	for _, m := range All {
		if m.Kind != kind || m.Manifests == nil {
			continue
		}
		found, is, err := m.findManifests(matching(m.Manifests, bases), read)
		if is || err != nil {
			return found, is, err
		}
	}
	return Find{}, false, nil
}

// findManifests checks files that may name packages.
func (m Manager) findManifests(bases []string, read func(base string) (string, error)) (Find, bool, error) {
	f := Find{Manager: m, Exact: true}
	for _, base := range bases {
		text, err := read(base)
		if err != nil {
			return f, false, err
		}
		names, exact := true, false
		if m.Read != nil {
			names, exact = m.Read(base, text)
		}
		if names {
			f.Files = append(f.Files, base)
			f.Exact = f.Exact && exact
		}
	}
	return f, len(f.Files) > 0 || m.SeparateProject && len(bases) > 0, nil
}

func matching(pattern *regexp.Regexp, bases []string) (out []string) {
	for _, base := range bases {
		if pattern.MatchString(base) {
			out = append(out, base)
		}
	}
	slices.Sort(out)
	return out
}

// Kinds returns the kinds of the managers in All, each once.
func Kinds() (kinds []string) {
	for _, m := range All {
		if !slices.Contains(kinds, m.Kind) {
			kinds = append(kinds, m.Kind)
		}
	}
	return kinds
}

// Environment returns the variables of every command line in addition to the clean environment of all
// commands. Git uses HTTPS for all addresses, because the proxy is the only way to the network: it lets the
// hosts of allow through, and names the hosts that it refuses. The go command may use git only for the hosts
// of allow.
func Environment(allow []string) []string {
	rules := [][2]string{{"https://", "ssh://git@"}, {"https://", "git://"}}
	vcs := ""
	for _, host := range append([]string{"github.com", "gitlab.com", "bitbucket.org"}, allow...) {
		rules = append(rules, [2]string{"https://" + host + "/", "git@" + host + ":"})
	}
	for _, host := range allow {
		if !strings.Contains(host, ":") { // a module path has no port
			vcs += host + ":git,"
		}
	}
	env := []string{
		"GOPROXY=https://proxy.golang.org", "GOVCS=" + vcs + "*:off", "GOFLAGS=-mod=mod -modcacherw",
		"GOTOOLCHAIN=local",
		"npm_config_ignore_scripts=true", "npm_config_audit=false", "npm_config_fund=false",
		"npm_config_offline=false",
		"npm_config_fetch_retries=2", "npm_config_fetch_retry_mintimeout=500", "PIP_RETRIES=2",
		"PIP_NO_INDEX=0", "PIP_NO_INPUT=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_BREAK_SYSTEM_PACKAGES=1",
		"CARGO_NET_OFFLINE=false", "CARGO_NET_GIT_FETCH_WITH_CLI=true",
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(rules)),
	}
	for i, r := range rules {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=url.%s.insteadOf", i, r[0]),
			fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, r[1]))
	}
	return env
}

// isAside matches the names of folders that no build of a parent folder uses.
var isAside = regexp.MustCompile(`^(?i:_.*|docs?|documentation|examples?|samples?|demos?|websites?|site|` +
	`benchmarks?|bench|fixtures?|playground)$`)

// IsExampleFolder reports whether the builds of the parent folders do not use this folder, for
// example documentation or examples.
func IsExampleFolder(dir string) bool {
	return dir != "" && slices.ContainsFunc(strings.Split(dir, "/"), isAside.MatchString)
}
