package environment

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzFind checks that, whatever the files of CI and of compose say, the variables are single lines, and the
// names of users and databases have no character that the script that starts services could read otherwise.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"jobs:\n  a:\n    services:\n      db: {image: 'postgres:16', ports: ['5433:5432'], " +
			"env: {POSTGRES_USER: a}}\n",
		"services:\n  db:\n    image: mysql:8\n    environment: [MYSQL_DATABASE=shop]\n" +
			"    ports: [{target: 3306}]\n",
		"test:\n  services: [{name: redis:7, alias: cache}]\n  variables: {REDIS_URL: redis://cache}\n",
		"DATABASE_URL=postgres://a:b@db/shop\nX='y'\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{
			".github/workflows/ci.yml", ".gitlab-ci.yml", "compose.yaml", ".env.example",
		} {
			e := Find(tree(name, text, "package.json", `{"dependencies":{"dotenv":"1"}}`), Config{})
			for _, v := range e.Env {
				require.NotContains(t, v, "\x00")
			}
			for _, s := range e.settings() {
				require.False(t, strings.ContainsAny(s, "\n\x00`\"$;\\"), s)
			}
		}
	})
}
