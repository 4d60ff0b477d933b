package build

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestARunThatDidNotStartSaysWhatIsMissing uses real output of the programs.
func TestARunThatDidNotStartSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"127|> lib@1.0.0 test\n> npm run lint && mocha\n\n" +
			"sh: 1: eslint: not found\n": "eslint is not installed",
		"127|bash: line 1: tox: " +
			"command not found": "tox is not installed",
		"2|make[1]: tsc: No such file or directory\n" +
			"make: *** [Makefile:3: test] Error 127": "tsc is not installed",
		"127|/usr/bin/env: ‘node’: " +
			"No such file or directory": "node is not installed",
		"/usr/bin/python3: " +
			"No module named pytest": "the Python module pytest is not installed",
		"E   ModuleNotFoundError: " +
			"No module named 'yaml'": "the Python module yaml is not installed",
		"Error: Cannot find module '@babel/core'\nRequire stack:\n" +
			"- /src/x.js": "the package @babel/core is not installed",
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'chai' imported from " +
			"/src/t.mjs": "the package chai is not installed",
		"● Validation Error:\n\n  Preset ts-jest not found relative to rootDir " +
			"/src.": "the package ts-jest is not installed",
		"x.go:3:8: no required module provides package example.com/dep; " +
			"to add it:": "the Go package example.com/dep is not there",
		"go: example.com/dep@v1.0.0: " +
			"module lookup disabled by GOPROXY=off": "the Go module example.com/dep@v1.0.0 is not there",
		"go: go.mod requires go >= 1.99 (running go 1.26.0; " +
			"GOTOOLCHAIN=local)": "Go 1.99 is not installed",
		"error: no matching package named `serde` found\n" +
			"location searched: crates.io index": "the crate serde is not there",
		"error: failed to get `serde` as a dependency of package `shop " +
			"v0.1.0`": "the crate serde is not there",
		"Can't locate File/Next.pm in @INC (you may need to install the File::Next module) (@INC contains: " +
			"lib /etc/perl) at ack line 12.": "the Perl module File::Next is not installed",
		"bundler: failed to load command\nCould not find rake-13.0.6 in any of the " +
			"sources\n": "the gem rake is not installed",
		"Could not find gem 'minitest (~> 5.0)' in locally installed " +
			"gems.": "the gem minitest is not installed",
		"-e:1:in `require': cannot load such file -- minitest/autorun " +
			"(LoadError)": "the Ruby library minitest/autorun is not installed",
		"PHPUnit 9.6.7\n\nCannot open file \"/src/vendor/autoload.php\".": "the packages of composer are " +
			"not installed: there is no vendor/autoload.php",
		"Could not find Hex, which is needed to build dependency :mime": "the package manager Hex of " +
			"Elixir is not installed",
		"AssertionError: 3 != 4": "",
		"Error: Cannot find module './share'\nRequire stack:\n- /src/x.js": "",
		"cart: widget: not found": "",
	} {
		code := 1
		if at, rest, ok := strings.Cut(said, "|"); ok {
			code, _ = strconv.Atoi(at)
			said = rest
		}
		require.Equal(t, want, outcome{text: said, code: code}.missing(), said)
		require.Empty(t, outcome{text: said}.missing(), "it ended well")
	}
	require.Equal(t, "a program that it calls is not installed", outcome{code: 127}.missing())
}
