package manager

import (
	_ "embed"
	"regexp"
)

//go:embed yarn.sh
var yarnFetch string

// yarn 1 and later versions have different flags for the same purpose.
var yarn = Manager{
	Name: "yarn", Kind: "node",
	Locks:      regexp.MustCompile(`^yarn\.lock$`),
	ExtraFiles: nodeManifest,
	Fetch:      func([]string, bool) string { return yarnFetch },
	Vendored:   "node_modules",
	Version:    "node --version && yarn --version",
	Hosts:      []string{"registry.yarnpkg.com", npmRegistry},
}
