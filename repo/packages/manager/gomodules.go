package manager

import (
	"regexp"
	"strings"
)

var goModules = Manager{
	Name: "go", Kind: "go",
	Locks:    regexp.MustCompile(`^(go\.sum|go\.work(\.sum)?)$`),
	Loose:    regexp.MustCompile(`^go\.mod$`),
	Read:     func(_, text string) (bool, bool) { return strings.Contains("\n"+text, "\nrequire"), false },
	Alone:    true,
	Manifest: regexp.MustCompile(`^go\.(mod|sum|work|work\.sum)$`),
	Fetch:    fetchModules,
	Pins:     []string{"go.sum"},
	Vendored: "vendor",
	Version:  "go version",
	Hosts:    []string{"proxy.golang.org", "sum.golang.org"},
}

// fetchModules leaves the sums of what has no go.sum in a workspace that names the folder, since
// nothing is built without them, and nothing is put beside the repository's own files.
func fetchModules(_ []string, exact bool) string {
	if exact {
		return "go mod download"
	}
	return `go mod download all && here=$PWD && mkdir -p "$PACKAGES/go/` + GoWorkspace + `" && cat go.sum >>"$PACKAGES/go/` + GoWorkspace + `/go.work.sum" &&
cd "$PACKAGES/go/` + GoWorkspace + `" && export GOFLAGS= && { test -f go.work || go work init; } && go work use "$here"`
}

// GoWorkspace is the folder of that workspace, below the module cache.
const GoWorkspace = "bobbin-workspace"
