// Package lockfile reads which packages with which versions lock files and manifests name. The files are of
// strangers: what cannot be read names nothing.
package lockfile

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
)

// A Package is a package that a file names.
type Package struct {
	Name, Version string
	// Ecosystem is the name that advisories use: Go, npm, PyPI, crates.io or RubyGems.
	Ecosystem string
	// Needs are the names of the packages that it needs, as far as the file says.
	Needs []string
	// Direct reports whether the project itself needs it, as far as the file says.
	Direct bool
}

// MaxPackages is how many packages are read of one file.
const MaxPackages = 50_000

// Knows reports whether a file has a form that Read reads, by its name.
func Knows(file string) bool {
	return readers[path.Base(file)] != nil || requirements.MatchString(path.Base(file))
}

// Read returns the packages that a file names, without duplicates, in the order of their names. ok is false
// if it is no file of a known form.
func Read(file string, text []byte) (found []Package, ok bool) {
	read := readers[path.Base(file)]
	if read == nil && requirements.MatchString(path.Base(file)) {
		read = readRequirements
	}
	if read == nil {
		return nil, false
	}
	found = read(text)
	found = slices.DeleteFunc(found, func(p Package) bool { return p.Name == "" || p.Version == "" })
	slices.SortStableFunc(found, func(a, b Package) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Version, b.Version)
	})
	found = slices.CompactFunc(found, func(a, b Package) bool {
		return a.Name == b.Name && a.Version == b.Version
	})
	return found[:min(len(found), MaxPackages)], true
}

// readers holds the readers by the name of the file.
var readers = map[string]func([]byte) []Package{
	"go.mod":            readGoMod,
	"package-lock.json": readNPM, "npm-shrinkwrap.json": readNPM,
	"yarn.lock": readYarn, "pnpm-lock.yaml": readPnpm,
	"poetry.lock": readTOML("PyPI"), "uv.lock": readTOML("PyPI"), "pdm.lock": readTOML("PyPI"),
	"Cargo.lock": readTOML("crates.io"), "Pipfile.lock": readPipfile, "Gemfile.lock": readGems,
}

var (
	goRequire    = regexp.MustCompile(`^(?:require\s+)?([^\s()]+)\s+(v[0-9][^\s]*)\s*(// indirect)?`)
	requirements = regexp.MustCompile(`^[a-z_.-]*requirements[a-z_.-]*\.txt$`)
	requirement  = regexp.MustCompile(
		`^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*===?\s*([A-Za-z0-9][^\s;\\#]*)`)
	gemSpec     = regexp.MustCompile(`^ {4}([A-Za-z0-9][^\s]*) \(([^)]+)\)$`)
	gemNeed     = regexp.MustCompile(`^ {6}([A-Za-z0-9][^\s]*)`)
	gemDirect   = regexp.MustCompile(`^ {2}([A-Za-z0-9][^\s!]*)`)
	yarnHead    = regexp.MustCompile(`^"?(@?[^@"\s]+)@`)
	yarnVersion = regexp.MustCompile(`^  version:? "?([^"\s]+)"?$`)
	yarnNeed    = regexp.MustCompile(`^    "?(@?[^"\s:]+)"?[: ]`)
)

func lines(text []byte) []string {
	return strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
}

func readGoMod(text []byte) (found []Package) {
	inside := false
	for _, line := range lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "require ("):
			inside = true
			continue
		case line == ")":
			inside = false
		}
		if !inside && !strings.HasPrefix(line, "require ") {
			continue
		}
		if m := goRequire.FindStringSubmatch(line); m != nil {
			found = append(found, Package{Name: m[1], Version: m[2], Ecosystem: "Go", Direct: m[3] == ""})
		}
	}
	return found
}

func keys[V any](maps ...map[string]V) (names []string) {
	for _, m := range maps {
		for name := range m {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func readNPM(text []byte) (found []Package) {
	type entry struct {
		Name, Version                                       string
		Link                                                bool
		Dependencies, DevDependencies, OptionalDependencies map[string]any
		Requires                                            any
	}
	var lock struct {
		Packages     map[string]entry
		Dependencies map[string]entry
	}
	_ = json.Unmarshal(text, &lock) // what is of another form is left out
	direct := map[string]bool{}
	for at, e := range lock.Packages {
		if strings.Contains(at, "node_modules/") {
			continue
		}
		for _, name := range keys(e.Dependencies, e.DevDependencies, e.OptionalDependencies) {
			direct[name] = true
		}
	}
	for at, e := range lock.Packages {
		i := strings.LastIndex(at, "node_modules/")
		if i < 0 || e.Link {
			continue
		}
		name := at[i+len("node_modules/"):]
		found = append(found, Package{
			Name: or(e.Name, name), Version: e.Version, Ecosystem: "npm",
			Needs:  keys(e.Dependencies, e.OptionalDependencies),
			Direct: direct[name] && i == 0,
		})
	}
	if lock.Packages == nil {
		for name, e := range lock.Dependencies { // of npm 6
			needs, _ := e.Requires.(map[string]any)
			found = append(found, Package{
				Name: name, Version: e.Version, Ecosystem: "npm", Needs: keys(needs),
			})
		}
	}
	return found
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func readYarn(text []byte) (found []Package) {
	var p *Package
	needs := false
	for _, line := range lines(text) {
		if m := yarnHead.FindStringSubmatch(line); m != nil {
			found = append(found, Package{Name: m[1], Ecosystem: "npm"})
			p = &found[len(found)-1]
			needs = false
			continue
		}
		switch {
		case p == nil:
		case yarnVersion.MatchString(line):
			p.Version = yarnVersion.FindStringSubmatch(line)[1]
		case strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "    "):
			needs = strings.HasPrefix(strings.TrimSpace(line), "dependencies:") ||
				strings.HasPrefix(strings.TrimSpace(line), "optionalDependencies:")
		case needs && yarnNeed.MatchString(line):
			p.Needs = append(p.Needs, yarnNeed.FindStringSubmatch(line)[1])
		}
	}
	return found
}

func readPnpm(text []byte) (found []Package) {
	type entry struct {
		Dependencies, DevDependencies, OptionalDependencies map[string]any
	}
	var lock struct {
		Importers    map[string]entry
		Packages     map[string]entry
		Snapshots    map[string]entry
		Dependencies map[string]any `yaml:"dependencies"`
	}
	_ = yaml.Unmarshal(text, &lock) // what is of another form is left out
	direct := map[string]bool{}
	for _, name := range keys(lock.Dependencies) {
		direct[name] = true
	}
	for _, e := range lock.Importers {
		for _, name := range keys(e.Dependencies, e.DevDependencies, e.OptionalDependencies) {
			direct[name] = true
		}
	}
	for key, e := range lock.Packages {
		plain, _, _ := strings.Cut(strings.TrimPrefix(key, "/"), "(")
		i := strings.LastIndexAny(plain, "@/")
		if i <= 0 {
			continue
		}
		p := Package{Name: plain[:i], Version: plain[i+1:], Ecosystem: "npm", Direct: direct[plain[:i]]}
		if s, ok := lock.Snapshots[key]; ok {
			e = s
		}
		p.Needs = keys(e.Dependencies, e.OptionalDependencies)
		found = append(found, p)
	}
	return found
}

// readTOML returns the reader of lock files that are lists of [[package]].
func readTOML(ecosystem string) func([]byte) []Package {
	return func(text []byte) (found []Package) {
		var lock struct {
			Package []map[string]any `toml:"package"`
		}
		_ = toml.Unmarshal(text, &lock) // what is of another form is left out
		for _, entry := range lock.Package {
			p := Package{Ecosystem: ecosystem}
			p.Name, _ = entry["name"].(string)
			p.Version, _ = entry["version"].(string)
			p.Needs = needsOf(entry["dependencies"])
			found = append(found, p)
		}
		return found
	}
}

// needsOf returns the names in a table, or in a list of texts or tables.
func needsOf(value any) (names []string) {
	switch value := value.(type) {
	case map[string]any:
		names = keys(value)
	case []any:
		for _, v := range value {
			switch v := v.(type) {
			case string:
				name, _, _ := strings.Cut(v, " ")
				names = append(names, name)
			case map[string]any:
				if name, ok := v["name"].(string); ok {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func readPipfile(text []byte) (found []Package) {
	var lock map[string]map[string]struct{ Version string }
	_ = json.Unmarshal(text, &lock) // what is of another form is left out
	for _, section := range []string{"default", "develop"} {
		for name, p := range lock[section] {
			found = append(found, Package{
				Name: name, Version: strings.TrimPrefix(p.Version, "=="), Ecosystem: "PyPI",
			})
		}
	}
	return found
}

func readRequirements(text []byte) (found []Package) {
	for _, line := range lines(text) {
		if m := requirement.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			found = append(found, Package{Name: m[1], Version: m[2], Ecosystem: "PyPI", Direct: true})
		}
	}
	return found
}

func readGems(text []byte) (found []Package) {
	direct := map[string]bool{}
	section := ""
	for _, line := range lines(text) {
		if line != "" && line[0] != ' ' {
			section = line
		}
		spec := gemSpec.FindStringSubmatch(line)
		need := gemNeed.FindStringSubmatch(line)
		switch {
		case section == "DEPENDENCIES" && gemDirect.MatchString(line):
			direct[gemDirect.FindStringSubmatch(line)[1]] = true
		case spec != nil:
			found = append(found, Package{Name: spec[1], Version: spec[2], Ecosystem: "RubyGems"})
		case need != nil && len(found) > 0:
			last := &found[len(found)-1]
			last.Needs = append(last.Needs, need[1])
		}
	}
	for i := range found {
		found[i].Direct = direct[found[i].Name]
	}
	return found
}
