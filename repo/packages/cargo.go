package packages

import (
	"regexp"
	"strings"
)

var cargo = manager{
	name:     "rust",
	locks:    regexp.MustCompile(`^Cargo\.lock$`),
	manifest: regexp.MustCompile(`^Cargo\.(toml|lock)$`),
	stub:     func(file string) bool { return strings.HasSuffix(file, ".rs") }, // cargo looks whether they are there
	fetch:    func([]string) string { return "cargo fetch --locked" },
	vendored: "vendor",
	version:  "cargo --version",
	hosts:    []string{"index.crates.io", "static.crates.io"},
}
