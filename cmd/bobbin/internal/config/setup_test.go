package config

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
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
		"setup: {auth: [{host: npm.pkg.github.com, token_env: NPM_TOKEN}, " +
			"{host: 'http://pypi.internal:3141', token_env: NPM_TOKEN, user_env: NPM_USER}]}": {
			Logins: []proxy.Login{
				{Host: "npm.pkg.github.com", Token: "s3cr3t", Name: "the token in NPM_TOKEN"},
				{
					Host: "http://pypi.internal:3141", User: "ann", Token: "s3cr3t",
					Name: "the token in NPM_TOKEN",
				},
			},
		},
	} {
		c, err := parseConfig("c", []byte(one+text))
		require.NoError(t, err, text)
		values := map[string]string{"NPM_TOKEN": "s3cr3t", "NPM_USER": "ann"}
		require.Equal(t, want, c.Repositories[0].Setup.Options(values), text)
	}
}

func TestBadSetups(t *testing.T) {
	t.Parallel()
	for i, c := range []struct{ text, want string }{
		{"setup: on", `c:4: repositories.shop.setup: keys and values are expected, not the text "on"`},
		{
			"setup: true",
			`c:4: repositories.shop.setup: keys and values are expected, ` +
				`not true (put it in quotes if it is text)`,
		},
		{"setup: [a]", `c:4: repositories.shop.setup: keys and values are expected, not a list`},
		{"setup: {runn: a}", `c:4: repositories.shop.setup: unknown key "runn"; did you mean "run"?`},
		{
			"setup: {command: a}",
			`c:4: repositories.shop.setup: unknown key "command"; it belongs to a source`,
		},
		{"allow: [a.example]", `c:4: repositories.shop: unknown key "allow"; it belongs to setup`},
		{"setup: {run: 5}", `c:4: repositories.shop.setup.run: a list is expected, not the number 5; put ` +
			`brackets around it`},
		{
			"setup: {run: ['']}",
			`c:4: repositories.shop.setup.run[0]: a command is empty; leave run out, and Bobbin finds the ` +
				`commands; ` +
				`or write setup: off`,
		},
		{
			"setup:\n      allow:\n        - a.example\n        - https://b.example/x",
			`c:7: repositories.shop.setup.allow[1] "https://b.example/x": a host's name is expected, ` +
				`without a scheme or path`,
		},
		{
			"setup: {allow: ['*.example']}",
			`c:4: repositories.shop.setup.allow[0] "*.example": a name has lower-case letters, digits, ` +
				`hyphens and single dots only`,
		},
		{
			"setup: {allow: [10.0.0.5]}",
			`c:4: repositories.shop.setup.allow[0] "10.0.0.5": it is an address in numbers; a name is ` +
				`expected`,
		},
		{"setup: {private: ['a.example:99999']}", `c:4: repositories.shop.setup.private[0] ` +
			`"a.example:99999": "99999" is no port`},
		{"setup: {minutes: -1}", `c:4: repositories.shop.setup.minutes may not be below zero`},
		{"setup: {minutes: 500}", `c:4: repositories.shop.setup.minutes may not be more than 120`},
		{
			"setup: {minutes: soon}",
			`c:4: repositories.shop.setup.minutes: a number is expected, not the text "soon"`,
		},
		{"setup: {env: {A-B: x}}", `c:4: repositories.shop.setup.env.A-B: it is not the name of a variable`},
		{"setup: {env: {HTTPS_PROXY: 'http://x'}}", `c:4: repositories.shop.setup.env.HTTPS_PROXY: it is ` +
			`set by Bobbin itself`},
		{"setup: {env: {GOMODCACHE: /x}}", `c:4: repositories.shop.setup.env.GOMODCACHE: it is set by ` +
			`Bobbin itself`},
		{"setup: {env: {NPM_TOKEN: s3cr3t}}", `c:4: repositories.shop.setup.env.NPM_TOKEN: ` + secretInSetup},
		{
			"setup: {env: {GOPROXY: 'https://me:s3cr3t@mirror.example/,direct'}}",
			`c:4: repositories.shop.setup.env.GOPROXY: ` + secretInSetup,
		},
		{
			"setup: {env: {PIP_INDEX_URL: 'https://s3cr3t@mirror.example/'}}",
			`c:4: repositories.shop.setup.env.PIP_INDEX_URL: ` + secretInSetup,
		},
		{
			"setup: {env: {A: ghp_" + "s3cr3t0123456789abcdefghijABCDEFGH56}}",
			`c:4: repositories.shop.setup.env.A: ` + secretInSetup,
		},
		{"setup: {env: {A: \"b\\nc\"}}", `c:4: repositories.shop.setup.env.A: its value has to be one line`},
		{
			"setup: {allow: [a.example], env: {GOPROXY: 'https://mirror.example'}}",
			`c:4: repositories.shop.setup.env.GOPROXY: it names the host mirror.example, which ` +
				`setup.allow does not`,
		},
		{"setup: {env: [A=b]}", `c:4: repositories.shop.setup.env: keys and values are expected, not a list`},
	} {
		t.Run(fmt.Sprintf("%d %.40q", i, c.text), func(t *testing.T) {
			t.Parallel()
			_, err := parseConfig("c", []byte(one+c.text))
			require.EqualError(t, err, c.want)
			require.NotContains(t, err.Error(), "s3cr3t")
		})
	}
}

func TestBadLogins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{
			"setup: {auth: [{host: 'a.example/npm', token_env: A}]}",
			`c:4: repositories.shop.setup.auth[0].host: "a.example/npm": a host's name is expected, ` +
				`without a scheme or path`,
		},
		{
			"setup: {auth: [{host: 'https://a.example', token_env: A}]}",
			`c:4: repositories.shop.setup.auth[0].host: "https://a.example": a host's name is expected, ` +
				`without a scheme or path`,
		},
		{
			"setup: {auth: [{host: '*.example', token_env: A}]}",
			`c:4: repositories.shop.setup.auth[0].host: "*.example": a name has lower-case letters, ` +
				`digits, hyphens and single ` +
				`dots only`,
		},
		{
			"setup: {auth: [{host: 'a.example:80', token_env: A}]}",
			`c:4: repositories.shop.setup.auth[0].host: "a.example:80": port 80 has no TLS; write ` +
				`http://a.example if its ` +
				`address is in a private network`,
		},
		{
			"setup: {auth: [{token_env: A}]}",
			`c:4: repositories.shop.setup.auth[0].host: a login needs a host, such as host: ` +
				`npm.pkg.github.com`,
		},
		{
			"setup: {auth: [{host: a.example}]}",
			`c:4: repositories.shop.setup.auth[0].token_env: a login needs a token_env, the name of the ` +
				`variable with the token`,
		},
		{
			"setup: {auth: [{host: a.example, token_env: s3cr3t}]}",
			`c:4: repositories.shop.setup.auth[0].token_env: token_env has to be the name of a variable ` +
				`of the environment, such as ` +
				`NPM_TOKEN; its value does not belong here`,
		},
		{
			"setup: {auth: [{host: a.example, token_env: SLACK_BOT_TOKEN}]}",
			`c:4: repositories.shop.setup.auth[0].token_env: token_env SLACK_BOT_TOKEN is a secret for ` +
				`something else`,
		},
		{
			"setup: {auth: [{host: a.example, token_env: A}, {host: 'a.example:443', token_env: B}]}",
			`c:4: repositories.shop.setup.auth[1].host: there are two logins for a.example:443; remove one`,
		},
		{
			"setup: {auth: [{host: a.example, token_env: A, user: u, user_env: B}]}",
			`c:4: repositories.shop.setup.auth[0].user_env: set only one of user and user_env`,
		},
		{
			"setup: {auth: [{host: a.example, token_env: A, user: 'a:b'}]}",
			`c:4: repositories.shop.setup.auth[0].user: the user "a:b" has characters that a login cannot ` +
				`have`,
		},
	} {
		_, err := parseConfig("c", []byte(one+c.text))
		require.EqualError(t, err, c.want)
		require.NotContains(t, err.Error(), "s3cr3t")
	}
}

const secretInSetup = "it looks like a secret, and code of the packages can read it; setup.auth adds a " +
	"login where none can"
