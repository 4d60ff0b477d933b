package manager

import (
	_ "embed"
	"encoding/json"
	"regexp"
)

//go:embed composer.sh
var composerFetch string

// composer fetches the packages of PHP into vendor, beside composer.json, where the autoloader of the project
// expects them. Its packages come from the hosts of their repositories: for most of them GitHub.
var composer = Manager{
	Name: "composer", Kind: "php",
	Locks:      regexp.MustCompile(`^composer\.lock$`),
	Manifests:  regexp.MustCompile(`^composer\.json$`),
	Read:       readComposerManifest,
	ExtraFiles: regexp.MustCompile(`^composer\.(json|lock)$`),
	Fetch:      func([]string, bool) string { return composerFetch },
	Pins:       []string{"composer.lock"},
	Vendored:   "vendor",
	Version:    "php --version && composer --version",
	Hosts: []string{
		"repo.packagist.org", "packagist.org", "api.github.com", "codeload.github.com", "github.com",
	},
}

// readComposerManifest reports whether a composer.json names packages, or code of its own to load: the tests
// need the autoloader for that, too.
func readComposerManifest(_, text string) (names, exact bool) {
	var m struct {
		Require, Autoload any
		Dev               any `json:"require-dev"`
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return false, false // the project's own tools report the error
	}
	return m.Require != nil || m.Dev != nil || m.Autoload != nil, false
}
