package packages

import "regexp"

var npm = manager{
	name:     "node",
	locks:    regexp.MustCompile(`^(package-lock|npm-shrinkwrap)\.json$`),
	manifest: regexp.MustCompile(`^(package(-lock)?\.json|npm-shrinkwrap\.json|\.npmrc|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?)$`),
	fetch:    func([]string) string { return "npm ci --ignore-scripts --no-audit --no-fund" },
	vendored: "node_modules",
	version:  "node --version && npm --version",
	hosts:    []string{"registry.npmjs.org"},
}
