package main

import (
	"strings"
	"testing"
	"unicode"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/redact"
)

// FuzzRemoteURL: an address that is taken holds no password and no control character, and
// one that is refused is shown without.
func FuzzRemoteURL(f *testing.F) {
	for _, seed := range []string{
		"https://github.com/acme/shop.git", "https://me:hunter2hunter2@h/x", "https://hunter2hunter2@h/x", "git@github.com:acme/shop.git", "ssh://git:hunter2hunter2@h/x", "/srv/x", "file:///srv/x",
		"https://h/x?token=hunter2hunter2", "http://[::1]:99999/x", "~/x", "https://h/%zz", "https://me:hunter2hunter2%zz@h/x", "git@h:a:b", "a b", "://", "\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if err := checkURL(address); err != nil {
			require.NotContains(t, err.Error(), "hunter2hunter2")
			return
		}
		require.False(t, strings.ContainsFunc(address, unicode.IsControl))
		require.Equal(t, strings.TrimSpace(address), address)
		if overHTTP(address) {
			host, _, _ := strings.Cut(strings.SplitN(address, "//", 2)[1], "/")
			require.NotContains(t, host, "@", "somebody's name or password")
			require.Equal(t, address, hideSecret(address))
		}
	})
}

// FuzzDatabaseURL: what is wrong with an address of Postgres is said in one line without
// its password, which the finder knows where there is one.
func FuzzDatabaseURL(f *testing.F) {
	for _, seed := range []string{
		"postgres://u:%s@h:5432/d", "postgres://u:%s%%zz@h/d", "postgres://u:%s@h:port/d", "postgres://u:%s@a,b/d?sslmode=no", "host=h password=%s user=u port=x", "host=h password='%s", "postgresql://%s", "%s", "u:%s@h", "",
	} {
		f.Add(strings.ReplaceAll(strings.ReplaceAll(seed, "%%", "%"), "%s", databaseSecret))
	}
	f.Fuzz(func(t *testing.T, address string) {
		if strings.Contains(address, "passfile") || strings.Contains(address, "service") || strings.Contains(address, "ssl") {
			return // which name files
		}
		if err := checkDatabase(address); err != nil {
			require.NotContains(t, err.Error(), "\n")
			if strings.Contains(address, ":"+databaseSecret+"@") || strings.Contains(address, "password="+databaseSecret) {
				require.NotContains(t, err.Error(), databaseSecret)
			}
			return
		}
		cfg, err := pgxpool.ParseConfig(address)
		if address == "" || err != nil {
			return
		}
		if password := cfg.ConnConfig.Password; strings.Contains(password, databaseSecret) {
			require.NotContains(t, redact.New(ofDatabase(address)...).MaskGiven("no: "+password), password)
		}
	})
}

const databaseSecret = "s3cr3t-of-the-database"

// FuzzHealth: what answers in the bot's place is not taken for it, and its words are one
// line that commands no terminal.
func FuzzHealth(f *testing.F) {
	for _, seed := range []string{
		`{"state":"ready","since":"2026-03-01T09:00:00Z"}`, `{"state":"not ready","wrong":"a\nb\u001b[31m","cure":"c"}`, `{"state":"READY"}`, `{"state":7}`, `[]`, `<html>`, ``, `{"state":"ready"`, `{"state":"ended","counts":{"goroutines":1e99}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		h, err := readHealth(strings.NewReader(string(said)))
		if err != nil {
			require.Empty(t, h)
			return
		}
		require.Contains(t, []string{stateStarting, stateReady, stateNotReady, stateDraining, stateEnded}, h.State)
		require.False(t, strings.ContainsFunc(h.Wrong+h.Cure, unicode.IsControl))
	})
}
