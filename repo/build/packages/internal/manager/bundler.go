package manager

import "regexp"

var bundler = Manager{
	Name: "bundler", Kind: "ruby",
	Locks:      regexp.MustCompile(`^Gemfile\.lock$`),
	Manifests:  regexp.MustCompile(`^Gemfile$`),
	ExtraFiles: regexp.MustCompile(`^(Gemfile(\.lock)?|\.ruby-version|[a-zA-Z0-9_.-]+\.gemspec|version\.rb)$`),
	Fetch: func(_ []string, exact bool) string {
		frozen := ""
		if exact {
			frozen = "BUNDLE_FROZEN=true "
		}
		return frozen + `BUNDLE_PATH="$PACKAGES/ruby" BUNDLE_APP_CONFIG="$TMPDIR/bundle" BUNDLE_USER_HOME="$TMPDIR/bundle" bundle install`
	},
	Pins:    []string{"Gemfile.lock"},
	Version: "ruby --version && bundle --version",
	Hosts:   []string{"rubygems.org", "index.rubygems.org"},
}
