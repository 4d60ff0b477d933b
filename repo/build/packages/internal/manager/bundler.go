package manager

import "regexp"

var bundler = Manager{
	Name: "bundler", Kind: "ruby",
	Locks:     regexp.MustCompile(`^Gemfile\.lock$`),
	Manifests: regexp.MustCompile(`^Gemfile$`),
	// a gemspec is a program, and reads its version from one of these; a Gemfile may include others
	ExtraFiles: regexp.MustCompile(`^(Gemfile([.-][a-zA-Z0-9_.-]+)?|[a-zA-Z0-9_.-]+\.(gemfile|gemspec)|` +
		`\.ruby-version|(gem_)?version\.rb|VERSION|version\.txt)$`),
	Fetch: func(_ []string, exact bool) string {
		frozen := ""
		if exact {
			frozen = "BUNDLE_FROZEN=true "
		}
		return frozen + `BUNDLE_PATH="$PACKAGES/ruby" BUNDLE_APP_CONFIG="$TMPDIR/bundle" ` +
			`BUNDLE_USER_HOME="$TMPDIR/bundle" bundle install`
	},
	Pins:    []string{"Gemfile.lock"},
	Version: "ruby --version && bundle --version",
	Hosts:   []string{"rubygems.org", "index.rubygems.org"},
}
