package project

import (
	"regexp"
	"strings"
)

var ruby = language{
	kind:   "ruby",
	find:   findRuby,
	isTest: isRubyTest,
	code:   regexp.MustCompile(`(?:\.(?:rb|rake|erb|gemspec|ru)|(?:^|/)(?:Rakefile|Gemfile))$`),
}

var rubyTest = regexp.MustCompile(`(?:_test|_spec|(?:^|/)test_[^/]*|(?:^|/)spec_[^/]*)\.rb$`)

func isRubyTest(file string, folders []string) bool {
	return rubyTest.MatchString(file) || containsAny(folders, "test", "spec", "features", "fixtures")
}

// rubyFiles runs the files of minitest or test-unit that its arguments name.
const rubyFiles = `ruby -Ilib:test -e 'ARGV.grep_v(/^-/).each { require File.expand_path(_1) }'`

var (
	rspecFile = regexp.MustCompile(`(?:^|/)spec/.*_spec\.rb$`)
	minitest  = regexp.MustCompile(
		`(?:^|/)tests?/(?:.*/)?(?:[^/]*_test|test_[^/]*|tc_[^/]*|spec_[^/]*)\.rb$`)
	rakeTesting = regexp.MustCompile(`TestTask|task[ (]+['":]*(?:test|default)\b`)
)

// findRuby finds RSpec, minitest through rake or alone, and the tests of Rails. If there is a Gemfile,
// bundler runs them.
func findRuby(t tree) Project {
	rakefile := t.readText("Rakefile") + t.readText("rakefile.rb")
	gemfile := t.hasFile("Gemfile")
	if rakefile == "" && !gemfile && !t.hasFile(".rspec") && len(t.globFiles("*.gemspec")) == 0 {
		return Project{}
	}
	p := Project{Kind: "ruby"}
	bundle := ""
	if gemfile {
		bundle = "bundle exec "
	}
	switch tests := t.findFiles(minitest); {
	case len(t.findFiles(rspecFile)) > 0 && (len(tests) == 0 || t.hasFile(".rspec")):
		p.Test = bundle + "rspec --format documentation"
		p.Written = bundle + "rspec"
	case len(tests) == 0:
	case t.hasFile("bin/rails"):
		p.Test = "bin/rails test -v"
		p.Written = "bin/rails test"
	case rakeTesting.MatchString(rakefile):
		p.Test = bundle + "rake test TESTOPTS=-v"
		p.Written = bundle + "rake test"
	default:
		p.Test = bundle + rubyFiles + " " + strings.Join(quotedAll(tests), " ") + " -v"
	}
	return p
}
