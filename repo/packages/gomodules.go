package packages

import "regexp"

var goModules = manager{
	name:     "go",
	locks:    regexp.MustCompile(`^(go\.sum|go\.work(\.sum)?)$`),
	manifest: regexp.MustCompile(`^go\.(mod|sum|work|work\.sum)$`),
	fetch:    func([]string) string { return "go mod download" },
	vendored: "vendor",
	version:  "go version",
	hosts:    []string{"proxy.golang.org", "sum.golang.org"},
}
