package config

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/environment"
)

func TestServicesAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]environment.Config{
		"":              {},
		"services:":     {},
		"services: off": {Off: true},
		"services: {postgres: 16, redis: 7.2, mysql: '8.0.36'}": {
			Services: map[string]string{"postgres": "16", "redis": "7.2", "mysql": "8.0.36"},
		},
		"services: {redis: any}": {Services: map[string]string{"redis": ""}},
		"env: {APP_ENV: test, DATABASE_URL: 'postgres://me:example@localhost/shop'}": {
			Env: []string{"APP_ENV=test", "DATABASE_URL=postgres://me:example@localhost/shop"},
		},
	} {
		c, err := parseConfig("c", []byte(one+text))
		require.NoError(t, err, text)
		require.Equal(t, want, c.Repositories[0].Environment(), text)
	}
}

func TestBadServicesAndValues(t *testing.T) {
	t.Parallel()
	const secret = "it looks like a secret, and the repository's code and models can read it; tests " +
		"need none: use a value that is valid nowhere, under another name"
	const reserved = "it decides how programs run, or is set by Bobbin itself; sandbox.env sets such " +
		"variables for all repositories"
	for i, c := range []struct{ text, want string }{
		{"services: on", `c:4: repositories.shop.services: keys and values are expected, not the text "on"`},
		{"services: [postgres]", `c:4: repositories.shop.services: keys and values are expected, not a list`},
		{
			"services: {postgres: latest}",
			`c:4: repositories.shop.services.postgres "latest": a version is expected, such as 16 or 7.2, ` +
				`or any`,
		},
		{
			"services: {redis: '7; rm -rf /'}",
			`c:4: repositories.shop.services.redis "7; rm -rf /": a version is expected, such as 16 or ` +
				`7.2, or any`,
		},
		{
			"services: {mongo: 7}",
			`c:4: repositories.shop.services: unknown key "mongo"; one of postgres, redis, mysql`,
		},
		{"env: {A-B: x}", `c:4: repositories.shop.env.A-B: it is not the name of a variable`},
		{"env: {PATH: /x}", `c:4: repositories.shop.env.PATH: ` + reserved},
		{"env: {LD_PRELOAD: /x}", `c:4: repositories.shop.env.LD_PRELOAD: ` + reserved},
		{"env: {API_TOKEN: s3cr3t}", `c:4: repositories.shop.env.API_TOKEN: ` + secret},
		{"env: {A: ghp_" + "s3cr3t0123456789abcdefghijABCDEFGH56}", `c:4: repositories.shop.env.A: ` +
			`` + secret},
		{"env: {DB_URL: " +
			"'postgres://me:s3cr3t@db.acme.example/shop'}", `c:4: repositories.shop.env.DB_URL: ` + secret},
		{"env: {A: \"b\\nc\"}", `c:4: repositories.shop.env.A: its value has to be one line`},
		{"env: [A=b]", `c:4: repositories.shop.env: keys and values are expected, not a list`},
	} {
		t.Run(fmt.Sprintf("%d %.40q", i, c.text), func(t *testing.T) {
			t.Parallel()
			_, err := parseConfig("c", []byte(one+c.text))
			require.EqualError(t, err, c.want)
			require.NotContains(t, err.Error(), "s3cr3t")
		})
	}
}
