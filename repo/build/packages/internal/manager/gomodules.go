package manager

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed go-partial.sh
var goPartial string

var goModules = Manager{
	Name: "go", Kind: "go",
	Locks:     regexp.MustCompile(`^(go\.sum|go\.work(\.sum)?)$`),
	Manifests: regexp.MustCompile(`^go\.mod$`),
	Read: func(_, text string) (bool, bool) {
		return strings.Contains("\n"+text, "\nrequire"), false
	},
	SeparateProject: true,
	ExtraFiles:      regexp.MustCompile(`^go\.(mod|sum|work|work\.sum)$`),
	Fetch:           fetchModules,
	Partial:         "test -f go.sum || test -f go.work.sum || exit 1\n" + goPartial,
	Pins:            []string{"go.sum"},
	Vendored:        "vendor",
	Version:         "go version",
	Hosts:           []string{"proxy.golang.org", "sum.golang.org"},
}

// fetchModules returns the command line for Go modules. Without a go.sum, it writes the checksums into a Go
// workspace outside the repository that uses the folder: a build needs checksums, and no file may be added to
// the repository.
func fetchModules(_ []string, exact bool) string {
	if exact {
		return "go mod download"
	}
	return `go mod download all && here=$PWD && mkdir -p "$PACKAGES/go/` +
		GoWorkspace + `" && cat go.sum >>"$PACKAGES/go/` + GoWorkspace + `/go.work.sum" &&
cd "$PACKAGES/go/` + GoWorkspace +
		`" && export GOFLAGS= && { test -f go.work || go work init; } && go work use "$here"`
}

// GoWorkspace is the folder of that Go workspace, below the module cache.
const GoWorkspace = "bobbin-workspace"
