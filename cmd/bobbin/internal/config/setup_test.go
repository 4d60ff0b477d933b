package config

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages"
)

func TestSetupAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]packages.Config{
		"":                              {},
		"setup:":                        {},
		"setup: off":                    {Off: true},
		"setup: 'off'":                  {Off: true},
		"setup: false":                  {Off: true},
		"setup: {run: go mod download}": {Run: []string{"go mod download"}},
		"setup: {run: [a, b]}":          {Run: []string{"a", "b"}},
		"setup:\n      run: |\n        a\n        b\n": {
			Run: []string{"a\nb\n"},
		},
		"setup: {minutes: 0.5, allow: [a.example]}": {
			Time: 30 * time.Second, Allow: []string{"a.example"},
		},
		"setup: {env: {npm_config_registry: 'http://npm.acme.internal:4873/', A: b}}": {
			Env: []string{"A=b", "npm_config_registry=http://npm.acme.internal:4873/"},
		},
	} {
		c, err := parseConfig("c", []byte(one+text))
		require.NoError(t, err, text)
		require.Equal(t, want, c.Repositories[0].Setup.Options(), text)
	}
}

func TestBadSetups(t *testing.T) {
	t.Parallel()
	for i, c := range []struct{ text, want string }{
		{"setup: on", `c:4: repositories[0].setup: keys and values are expected, not the text "on"`},
		{
			"setup: true",
			`c:4: repositories[0].setup: keys and values are expected, ` +
				`not true (put it in quotes if it is text)`,
		},
		{"setup: [a]", `c:4: repositories[0].setup: keys and values are expected, not a list`},
		{"setup: {runn: a}", `c:4: unknown key "runn"; did you mean "run"?`},
		{
			"setup: {command: a}",
			`c:4: unknown key "command"; repositories[0].setup knows run, allow, private, env, minutes`,
		},
		{"allow: [a.example]", `c:4: unknown key "allow"; it belongs to setup`},
		{"setup: {run: 5}", `c:4: repositories[0].setup.run: a list is expected, not the number 5`},
		{
			"setup: {run: ['']}",
			`c:4: setup.run: a command is empty; leave run out, and Bobbin finds the commands; ` +
				`or write setup: off`,
		},
		{
			"setup:\n      allow:\n        - a.example\n        - https://b.example/x",
			`c:7: setup.allow "https://b.example/x": a host's name is expected, without a scheme or path`,
		},
		{
			"setup: {allow: ['*.example']}",
			`c:4: setup.allow "*.example": a name has lower-case letters, digits, ` +
				`hyphens and single dots only`,
		},
		{
			"setup: {allow: [10.0.0.5]}",
			`c:4: setup.allow "10.0.0.5": it is an address in numbers; a name is expected`,
		},
		{"setup: {private: ['a.example:99999']}", `c:4: setup.private "a.example:99999": "99999" is no port`},
		{"setup: {minutes: -1}", `c:4: setup.minutes may not be below zero`},
		{"setup: {minutes: 500}", `c:4: setup.minutes may not be more than 120`},
		{
			"setup: {minutes: soon}",
			`c:4: repositories[0].setup.minutes: a number is expected, not the text "soon"`,
		},
		{"setup: {env: {A-B: x}}", `c:4: setup.env A-B: it is not the name of a variable`},
		{"setup: {env: {HTTPS_PROXY: 'http://x'}}", `c:4: setup.env HTTPS_PROXY: it is set by Bobbin itself`},
		{"setup: {env: {GOMODCACHE: /x}}", `c:4: setup.env GOMODCACHE: it is set by Bobbin itself`},
		{"setup: {env: {NPM_TOKEN: s3cr3t}}", `c:4: setup.env NPM_TOKEN: ` + secretInSetup},
		{
			"setup: {env: {GOPROXY: 'https://me:s3cr3t@mirror.example/,direct'}}",
			`c:4: setup.env GOPROXY: ` + secretInSetup,
		},
		{
			"setup: {env: {PIP_INDEX_URL: 'https://s3cr3t@mirror.example/'}}",
			`c:4: setup.env PIP_INDEX_URL: ` + secretInSetup,
		},
		{
			"setup: {env: {A: ghp_" + "s3cr3t0123456789abcdefghijABCDEFGH56}}",
			`c:4: setup.env A: ` + secretInSetup,
		},
		{"setup: {env: {A: \"b\\nc\"}}", `c:4: setup.env A: its value has to be one line`},
		{
			"setup: {allow: [a.example], env: {GOPROXY: 'https://mirror.example'}}",
			`c:4: setup.env GOPROXY: it names the host mirror.example, which setup.allow does not`,
		},
		{"setup: {env: [A=b]}", `c:4: repositories[0].setup.env: keys and values are expected, not a list`},
	} {
		t.Run(fmt.Sprintf("%d %.40q", i, c.text), func(t *testing.T) {
			t.Parallel()
			_, err := parseConfig("c", []byte(one+c.text))
			require.EqualError(t, err, c.want)
			require.NotContains(t, err.Error(), "s3cr3t")
		})
	}
}

const secretInSetup = "it looks like a secret, and code of the packages can read it; registries that need " +
	"a login are not supported: use a mirror within your network"
