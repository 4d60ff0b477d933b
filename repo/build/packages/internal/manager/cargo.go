package manager

import (
	"regexp"
	"strings"
)

var cargo = Manager{
	Name: "cargo", Kind: "rust",
	Locks:     regexp.MustCompile(`^Cargo\.lock$`),
	Manifests: regexp.MustCompile(`^Cargo\.toml$`),
	Read: func(_, text string) (bool, bool) {
		return strings.Contains(text, "dependencies") || strings.Contains(text, "[workspace]"), false
	},
	SeparateProject: true,
	ExtraFiles:      regexp.MustCompile(`^Cargo\.(toml|lock)$`),
	Stub:            func(file string) bool { return strings.HasSuffix(file, ".rs") }, // cargo checks that they exist
	Fetch: func(_ []string, exact bool) string {
		if exact {
			return "cargo fetch --locked"
		}
		return "cargo fetch"
	},
	Pins:     []string{"Cargo.lock"},
	Vendored: "vendor",
	Version:  "cargo --version",
	Hosts:    []string{"index.crates.io", "static.crates.io"},
}
