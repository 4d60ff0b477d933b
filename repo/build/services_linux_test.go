package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// guests is a Go service with a test that talks to Postgres and to Redis. Without them it skips, as such
// tests usually do. Its workflow names the services as GitHub expects it.
var guests = repotest.Files{
	"go.mod":       "module example.com/guests\n\ngo 1.24\n",
	"dial.go":      guestsDial,
	"dial_test.go": guestsTest,
	".github/workflows/test.yml": `
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    services:
      postgres:
        image: postgres:15-alpine
        env: {POSTGRES_USER: guest, POSTGRES_PASSWORD: example, POSTGRES_DB: guests}
        ports: ["5433:5432"]
      redis: {image: "redis:7"}
    env:
      DATABASE_URL: postgres://guest:example@postgres:5432/guests?sslmode=disable
      REDIS_ADDR: redis:6379
    steps:
      - run: go test ./...
`,
}

const guestsDial = `package guests

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
)

// Ask sends a query to the Postgres server of an address, and returns what it answers.
func Ask(address, query string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		return "", err
	}
	defer c.Close()
	start := "\x00\x03\x00\x00user\x00" + u.User.Username() + "\x00database\x00" + u.Path[1:] + "\x00\x00"
	c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(start)+4)), start...))
	for ready, answer := 0, ""; ; {
		head := make([]byte, 5)
		if _, err := io.ReadFull(c, head); err != nil {
			return "", err
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(c, body); err != nil {
			return "", err
		}
		switch head[0] {
		case 'E':
			return "", fmt.Errorf("postgres: %q", body)
		case 'C':
			answer += string(body[:len(body)-1])
		case 'Z':
			if ready++; ready == 2 {
				return answer, nil
			}
			asked := query + "\x00"
			c.Write(append(binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(asked)+4)), asked...))
		}
	}
}
`

const guestsTest = `package guests

import (
	"net"
	"os"
	"testing"
)

func TestGuestsAreStored(t *testing.T) {
	address := os.Getenv("DATABASE_URL")
	if address == "" {
		t.Skip("there is no database")
	}
	for _, query := range []string{"create table guests (name text)", "insert into guests values ('Ann')"} {
		answer, err := Ask(address, query)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(answer)
	}
}

func TestGuestsAreCounted(t *testing.T) {
	if os.Getenv("REDIS_ADDR") == "" {
		t.Skip("there is no Redis")
	}
	c, err := net.Dial("tcp", os.Getenv("REDIS_ADDR"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Write([]byte("INCR guests\r\n"))
	answer := make([]byte, 4)
	if _, err := c.Read(answer); err != nil || string(answer) != ":1\r\n" {
		t.Fatalf("%q, %v", answer, err)
	}
}
`

// needServices skips the test without the programs of Postgres and Redis. CI installs them.
func needServices(t *testing.T) {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if _, err := exec.LookPath("redis-server"); err != nil || len(found) == 0 {
		// The tests need the real servers; make deps installs them.
		t.Skip("Postgres and Redis are not installed")
	}
}

// shopTests is a suite that prints TAP: it stores a guest in Postgres and counts one in Redis, or skips.
const shopTests = `
ask() { if [ -n "$2" ]; then shift 2; "$@" >/dev/null; else return 3; fi; }
report() { case $? in 0) echo "ok $1";; 3) echo "ok $1 # SKIP no server";; *) echo "not ok $1"; failed=1;; esac; }
ask "$1" "$DATABASE_URL" psql "$DATABASE_URL" -qc "create table guests (name text); insert into guests values ('Ann')"
report "1 - guests are stored"
ask "$1" "$REDIS_ADDR" sh -c '[ "$(redis-cli -u "redis://$REDIS_ADDR" incr guests)" = 1 ]'
report "2 - guests are counted"
echo 1..2
exit ${failed:-0}
`

// TestServicesOfARepository runs a suite with the services that its CI names: they are empty for every run,
// so both runs make the table and count to one.
func TestServicesOfARepository(t *testing.T) {
	t.Parallel()
	needServices(t)
	m, commits := repotest.NewMirror(t, guests.With(repotest.Files{"test.sh": shopTests}))
	p := project.Project{Test: "sh test.sh"}
	c := checker(t).For(m)

	without, err := c.RunTree(t.Context(), commits[0], nil, p)
	require.NoError(t, err)
	require.Equal(t, result.Counts{Skipped: 2}, without.Counts, "the control: %s", without.Output)

	_, have, err := c.Cache.UseEnvironment(t.Context(), commits[0], environment.Config{})
	require.NoError(t, err)
	require.Len(t, have, 2)
	for range 2 {
		r, err := c.RunTree(t.Context(), commits[0], nil, p)
		require.NoError(t, err)
		require.Equal(t, result.Counts{Passed: 2}, r.Counts, r.Output)
		require.Empty(t, r.Services)
	}

	p.Test = "psql -c 'select lost from guests'"
	r, err := c.RunTree(t.Context(), commits[0], nil, p)
	require.NoError(t, err)
	require.Contains(t, r.Output, "log of postgres:")
	require.Contains(t, r.Output, "STATEMENT:  select lost from guests", "what the server logged is there")
}

// TestAGoServiceWithDatabases is TestServicesOfARepository with a Go module, which takes long to compile.
func TestAGoServiceWithDatabases(t *testing.T) {
	t.Parallel()
	needServices(t)
	if os.Getenv("BOBBIN_EVERY") == "" {
		// It takes a minute of processor time; the shell test beside it shows the same.
		t.Skip("it compiles the network packages of Go; BOBBIN_EVERY runs it")
	}
	m, commits := repotest.NewMirror(t, guests)
	p := project.Project{Kind: "go", Test: "go test ./..."}
	without, err := checker(t).For(m).Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.Equal(t, result.Counts{Skipped: 2}, without.Counts, "the control: %s", without.Output)

	c := checker(t).For(m)
	_, _, err = c.Cache.UseEnvironment(t.Context(), commits[0], environment.Config{})
	require.NoError(t, err)
	r, err := c.Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.Equal(t, result.Counts{Passed: 2}, r.Counts, r.Output)
}

// djangoShop is a Django app with a model, its migration, and a test that stores in Postgres.
var djangoShop = repotest.Files{
	"manage.py": `import os, sys
from django.conf import settings
from django.core.management import execute_from_command_line
settings.configure(
    INSTALLED_APPS=["shop"], USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql", "HOST": os.environ.get("DB_HOST", "127.0.0.1"),
        "NAME": "shop", "USER": "django", "PASSWORD": "example"}})
execute_from_command_line(sys.argv)
`,
	"shop/__init__.py": "#\n",
	"shop/models.py": "from django.db import models\n\n\nclass Guest(models.Model):\n" +
		"    name = models.TextField(unique=True)\n",
	"shop/migrations/__init__.py": "#\n",
	"shop/migrations/0001_initial.py": `from django.db import migrations, models


class Migration(migrations.Migration):
    operations = [migrations.CreateModel("Guest", [
        ("id", models.AutoField(primary_key=True)), ("name", models.TextField(unique=True))])]
`,
	"shop/tests.py": `from django.db import IntegrityError
from django.test import TestCase

from shop.models import Guest


class GuestTest(TestCase):
    def test_a_name_is_stored_once(self):
        Guest.objects.create(name="Ann")
        with self.assertRaises(IntegrityError):
            Guest.objects.create(name="Ann")
`,
	".gitlab-ci.yml": `test:
  services: [{name: "postgres:15", alias: db}]
  variables: {POSTGRES_USER: django, POSTGRES_DB: shop, POSTGRES_PASSWORD: example, DB_HOST: db}
  script: [python3 manage.py test]
`,
}

// TestADjangoAppWithMigrations runs Django's own tests, which make a database and migrate it.
func TestADjangoAppWithMigrations(t *testing.T) {
	t.Parallel()
	needServices(t)
	if os.Getenv("BOBBIN_EVERY") == "" {
		// Django is not installed on most machines, and the shell test above shows the same.
		t.Skip("BOBBIN_EVERY runs it, with Debian's python3-django and python3-psycopg2")
	}
	repotest.NeedCommand(t, "/usr/bin/python3 -c 'import django, psycopg2'")
	m, commits := repotest.NewMirror(t, djangoShop)
	p := project.Project{Kind: "python", Test: "/usr/bin/python3 manage.py test -v 2"}
	c := checker(t).For(m)
	without, err := c.RunTree(t.Context(), commits[0], nil, p)
	require.NoError(t, err)
	require.False(t, without.OK(), "the control")
	require.Contains(t, without.Output, "Connection refused")

	_, _, err = c.Cache.UseEnvironment(t.Context(), commits[0], environment.Config{})
	require.NoError(t, err)
	r, err := c.RunTree(t.Context(), commits[0], nil, p)
	require.NoError(t, err)
	require.True(t, r.OK(), r.Output)
	require.Equal(t, result.Counts{Passed: 1}, r.Counts, r.Output)
}
