package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// A tool is a program whose version files want.
type tool struct {
	ask string // the command that prints the version
	// parts is how many parts of two versions have to be the same: 1 for node 22, 2 for Python 3.12
	parts int
	other []string // further names of it in .tool-versions and mise.toml
}

var tools = map[string]tool{
	"go":     {ask: "go version", parts: 2, other: []string{"golang"}},
	"node":   {ask: "node --version", parts: 1, other: []string{"nodejs"}},
	"python": {ask: "python3 --version", parts: 2, other: []string{"python3"}},
	"ruby":   {ask: "ruby --version", parts: 2},
	"rust":   {ask: "rustc --version", parts: 2},
	"java":   {ask: "java --version 2>&1 | head -1", parts: 1},
	"php":    {ask: "php --version | head -1", parts: 2},
	"elixir": {ask: "elixir --version | tail -1", parts: 2},
	"pnpm":   {ask: "pnpm --version", parts: 1},
	"yarn":   {ask: "yarn --version", parts: 1},
}

// toolNamed returns the name in tools of a tool by any of its names.
func toolNamed(name string) (string, bool) {
	for known, t := range tools {
		if known == name || slices.Contains(t.other, name) {
			return known, true
		}
	}
	return "", false
}

// versionsOf returns the versions that files at the top, or in the folder that the work is limited to, want.
// The first file that names a tool counts.
func versionsOf(ctx context.Context, files fs.FS, folder string, box *sandbox.Sandbox) []Version {
	out := []Version{}
	for _, dir := range slices.Compact([]string{path.Clean(folder), "."}) {
		for _, source := range versionFiles {
			file := path.Join(dir, source.name)
			for _, v := range source.read(readText(files, file)) {
				known := func(o Version) bool { return o.Tool == v.Tool }
				if v.Wants != "" && !slices.ContainsFunc(out, known) {
					v.From = file
					out = append(out, v)
				}
			}
		}
	}
	has := installed(ctx, box, out)
	for i := range out {
		v := &out[i]
		v.Has = has[v.Tool]
		v.Differs = v.Has != "" && !satisfies(v.Has, v.Wants, v.Tool)
	}
	return out
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
		if name, ok := toolNamed(words[0]); ok {
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
		if name, ok := toolNamed(m[1]); ok {
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
	if name, ok := toolNamed(manager); ok {
		version, _, _ = strings.Cut(version, "+")
		out = append(out, oneVersion(name)(version)...)
	}
	return out
}

// installed returns the versions of the tools as commands in the sandbox find them.
func installed(ctx context.Context, box *sandbox.Sandbox, wanted []Version) map[string]string {
	has := map[string]string{}
	if box == nil || len(wanted) == 0 {
		return has
	}
	dir, err := os.MkdirTemp("", "bobbin-")
	if err != nil {
		return has
	}
	defer os.RemoveAll(dir)
	if os.Chmod(dir, 0o755) != nil || box.Own(dir) != nil {
		return has
	}
	var line strings.Builder
	for _, v := range wanted {
		line.WriteString("echo \"" + v.Tool + " $(" + tools[v.Tool].ask + " 2>/dev/null)\"\n")
	}
	var out bytes.Buffer
	cmd := box.Command(dir, "sh", "-c", line.String())
	cmd.Stdout = &out
	_ = cmd.Run(ctx) // what it printed counts
	for text := range strings.Lines(out.String()) {
		name, said, _ := strings.Cut(text, " ")
		if m := anyVersion.FindString(said); m != "" {
			has[name] = m
		}
	}
	return has
}

var anyVersion = regexp.MustCompile(`\d+(?:\.\d+)*`)

// satisfies reports whether a version is one that is wanted: a version, or a range as npm and pip write
// them. What cannot be read is taken as satisfied.
func satisfies(has, wants, tool string) bool {
	for alternative := range strings.SplitSeq(wants, "||") {
		if allHold(partsOf(has), alternative, tools[tool].parts) {
			return true
		}
	}
	return false
}

var comparison = regexp.MustCompile(`(>=|<=|==|!=|~=|~>|>|<|\^|~|=)?\s*v?(\d+(?:\.(?:\d+|[x*]))*)`)

// allHold reports whether a version satisfies each comparison of a range.
func allHold(has []int, text string, parts int) bool {
	found := comparison.FindAllStringSubmatch(text, -1)
	if strings.Contains(text, " - ") && len(found) == 2 {
		return compareParts(has, partsOf(found[0][2]), 3) >= 0 &&
			compareParts(has, partsOf(found[1][2]), len(partsOf(found[1][2]))) <= 0
	}
	for _, m := range found {
		want := partsOf(m[2])
		held := true
		switch sign := m[1]; sign {
		case ">=":
			held = compareParts(has, want, 3) >= 0
		case ">":
			held = compareParts(has, want, len(want)) > 0
		case "<=":
			held = compareParts(has, want, len(want)) <= 0
		case "<":
			held = compareParts(has, want, 3) < 0
		case "!=":
			held = compareParts(has, want, len(want)) != 0
		case "^", "~=", "~>":
			held = compareParts(has, want, 3) >= 0 && compareParts(has, want, 1) == 0
		default:
			held = compareParts(has, want, min(len(want), parts)) == 0
		}
		if !held {
			return false
		}
	}
	return true
}

// partsOf returns the numbers of a version up to the first part that is none.
func partsOf(version string) (out []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		out = append(out, n)
	}
	return out
}

// compareParts compares the first parts of two versions; a part that is missing is 0.
func compareParts(a, b []int, parts int) int {
	at := func(v []int, i int) int {
		if i < len(v) {
			return v[i]
		}
		return 0
	}
	for i := range parts {
		if d := at(a, i) - at(b, i); d != 0 {
			return d
		}
	}
	return 0
}
