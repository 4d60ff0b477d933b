package wanted

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Version is the version of a tool that a file wants.
type Version struct {
	Tool  string // such as go, node or python
	Wants string // a version, or a range as npm and pip write them
	From  string // the file
}

// A tool is a program whose version files want.
type tool struct {
	// parts is how many parts of two versions have to be the same: 1 for node 22, 2 for Python 3.12
	parts int
	other []string // further names of it in .tool-versions, mise.toml, images and features
}

var tools = map[string]tool{
	"go":     {parts: 2, other: []string{"golang"}},
	"node":   {parts: 1, other: []string{"nodejs", "javascript-node", "typescript-node"}},
	"python": {parts: 2, other: []string{"python3"}},
	"ruby":   {parts: 2, other: []string{"rails"}},
	"rust":   {parts: 2},
	"java":   {parts: 1, other: []string{"openjdk", "eclipse-temurin", "temurin", "amazoncorretto"}},
	"php":    {parts: 2},
	"elixir": {parts: 2},
	"dotnet": {parts: 1, other: []string{"dotnet-core"}},
	"pnpm":   {parts: 1},
	"yarn":   {parts: 1},
}

// ToolNamed returns the name in tools of a tool by any of its names.
func ToolNamed(name string) (string, bool) {
	for known, t := range tools {
		if known == name || slices.Contains(t.other, name) {
			return known, true
		}
	}
	return "", false
}

// Read returns the versions that files at the top, or in the folder that the work is limited to, want. The
// first file that names a tool counts. read returns the content of a file, or an empty string if there is
// none.
func Read(read func(name string) string, folder string) (out []Version) {
	for _, dir := range slices.Compact([]string{path.Clean(folder), "."}) {
		for _, source := range versionFiles {
			file := path.Join(dir, source.name)
			out = Add(out, file, source.read(read(file)))
		}
	}
	return out
}

// Add appends the versions that a file wants, except of tools that are there already.
func Add(list []Version, file string, more []Version) []Version {
	for _, v := range more {
		known := func(o Version) bool { return o.Tool == v.Tool }
		if v.Wants != "" && !slices.ContainsFunc(list, known) {
			v.From = file
			list = append(list, v)
		}
	}
	return list
}

// A versionFile is a file that names versions; read returns them.
type versionFile struct {
	name string
	read func(text string) []Version
}

// versionFiles are in the order in which they count: those that pin a version come first.
var versionFiles = []versionFile{
	{".tool-versions", toolVersions},
	{"mise.toml", miseVersions},
	{".mise.toml", miseVersions},
	{"go.mod", goVersions},
	{".nvmrc", oneVersion("node")},
	{".node-version", oneVersion("node")},
	{"package.json", manifestVersions},
	{".python-version", oneVersion("python")},
	{"pyproject.toml", firstMatch("python", `(?m)^\s*requires-python\s*=\s*["']([^"'\n]+)`)},
	{"rust-toolchain", oneVersion("rust")},
	{"rust-toolchain.toml", firstMatch("rust", `(?m)^\s*channel\s*=\s*["']([^"'\n]+)`)},
	{".ruby-version", oneVersion("ruby")},
	{"Cargo.toml", firstMatch("rust", `(?m)^\s*rust-version\s*=\s*["']([^"'\n]+)`, ">=")},
}

// oneVersion reads a file that holds nothing but the version of a tool. It ignores words such as stable.
func oneVersion(tool string) func(string) []Version {
	return func(text string) []Version {
		line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		line = strings.TrimSpace(line)
		if name, ok := codeNames[strings.ToLower(strings.TrimPrefix(line, "lts/"))]; ok {
			line = name
		}
		line = strings.TrimPrefix(strings.TrimPrefix(line, tool+"-"), "v")
		if !leadingNumber.MatchString(line) {
			return nil
		}
		return []Version{{Tool: tool, Wants: line}}
	}
}

var leadingNumber = regexp.MustCompile(`^\d`)

// codeNames are the major versions of Node by the names of their long-term releases.
var codeNames = map[string]string{
	"gallium": "16", "hydrogen": "18", "iron": "20", "jod": "22", "krypton": "24",
}

// firstMatch reads the first group of a pattern as the version of a tool. A prefix is put before a version
// that is the oldest one that will do.
func firstMatch(tool, pattern string, prefix ...string) func(string) []Version {
	form := regexp.MustCompile(pattern)
	return func(text string) []Version {
		m := form.FindStringSubmatch(text)
		if m == nil || !strings.ContainsAny(m[1], "0123456789") {
			return nil
		}
		return []Version{{Tool: tool, Wants: strings.Join(prefix, "") + strings.TrimSpace(m[1])}}
	}
}

// toolVersions reads a .tool-versions file: a name and a version in each line.
func toolVersions(text string) (out []Version) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if name, ok := ToolNamed(words[0]); ok {
			out = append(out, oneVersion(name)(words[1])...)
		}
	}
	return out
}

var (
	miseTools = regexp.MustCompile(`(?ms)^\[tools\][ \t]*$(.*?)(?:^\[|\z)`)
	miseLine  = regexp.MustCompile(`(?m)^\s*"?([\w-]+)"?\s*=\s*(?:\[\s*|\{\s*version\s*=\s*)?["']([^"'\n]+)`)
)

// miseVersions reads the table of tools of a mise.toml.
func miseVersions(text string) (out []Version) {
	table := miseTools.FindStringSubmatch(text)
	if table == nil {
		return nil
	}
	for _, m := range miseLine.FindAllStringSubmatch(table[1], -1) {
		if name, ok := ToolNamed(m[1]); ok {
			out = append(out, oneVersion(name)(m[2])...)
		}
	}
	return out
}

var goLine = regexp.MustCompile(`(?m)^(?:toolchain go|go )([\d.]+)`)

// goVersions reads the oldest version of Go with which a module is built: that of its toolchain line, or else
// of its go line.
func goVersions(text string) []Version {
	newest := ""
	for _, m := range goLine.FindAllStringSubmatch(text, -1) {
		if newest == "" || compareParts(partsOf(m[1]), partsOf(newest), 3) > 0 {
			newest = m[1]
		}
	}
	if newest == "" {
		return nil
	}
	return []Version{{Tool: "go", Wants: ">=" + newest}}
}

// manifestVersions reads what a package.json says of Node and of its package manager.
func manifestVersions(text string) (out []Version) {
	var manifest struct {
		Engines        map[string]any `json:"engines"`
		PackageManager string         `json:"packageManager"`
	}
	if json.Unmarshal([]byte(text), &manifest) != nil {
		return nil
	}
	if wants, ok := manifest.Engines["node"].(string); ok && strings.ContainsAny(wants, "0123456789") {
		out = append(out, Version{Tool: "node", Wants: wants})
	}
	manager, version, _ := strings.Cut(manifest.PackageManager, "@")
	if name, ok := ToolNamed(manager); ok {
		version, _, _ = strings.Cut(version, "+")
		out = append(out, oneVersion(name)(version)...)
	}
	return out
}
