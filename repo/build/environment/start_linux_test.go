package environment

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// need skips the test if one of the programs is not installed. CI installs Postgres and Redis.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
		if _, err := exec.LookPath(name); err != nil && len(found) == 0 {
			// The test needs the real server; no fake can replace it.
			t.Skip(name + " is not installed")
		}
	}
}

// A ran is what a command with services did.
type ran struct {
	code  int
	out   string
	notes []string
	log   string
	took  time.Duration
}

// run runs a line of shell with the services.
func run(t *testing.T, e *Environment, line string, env ...string) (r ran) {
	t.Helper()
	files := repotest.Files{"bin/redis-server": "#!/bin/sh\necho loading\nexec sleep 6000\n"}
	dir := repotest.WriteTree(t, files)
	require.NoError(t, os.Chmod(filepath.Join(dir, "bin/redis-server"), 0o755))
	cmd := repotest.OpenSandbox(t).Command(dir, "sh", "-c", line)
	w := e.Wrap(cmd, "", true)
	cmd.Env = append(cmd.Env, env...)
	var printed bytes.Buffer
	cmd.Stdout = &printed
	cmd.Stderr = &printed
	err := cmd.Run(t.Context())
	var exit *sandbox.ExitError
	if errors.As(err, &exit) {
		r.code = exit.Code
	} else {
		require.NoError(t, err)
	}
	out, report := w.Cut(printed.String())
	r.out = out
	r.notes = report.Notes
	r.log = report.Log
	r.took = report.Took
	return r
}

func found(services map[string]string) *Environment {
	return Find(tree(), Config{Services: services})
}

// TestACommandWithServices also checks that the command sees none of the settings of the script.
func TestACommandWithServices(t *testing.T) {
	t.Parallel()
	need(t, "initdb", "redis-server", "redis-cli")
	e := found(map[string]string{Postgres: "", Redis: ""})
	r := run(t, e, `psql -Atc "select 'as ' || current_user" &&
		redis-cli -u "$REDIS_URL" ping && env | grep -c BOBBIN_; exit 7`)
	r.took = 0 // this machine may be slow
	require.Equal(t, ran{code: 7, out: "as postgres\nPONG\n0\n"}, r)
}

// TestTheWaitForAServiceIsMeasured has the wait said from the first moment.
func TestTheWaitForAServiceIsMeasured(t *testing.T) {
	t.Parallel()
	need(t, "redis-server", "redis-cli")
	r := run(t, found(map[string]string{Redis: ""}), "echo ran", "BOBBIN_SERVICE_SLOW=-1")
	require.Equal(t, "ran\n", r.out)
	require.Positive(t, r.took)
	require.Less(t, r.took, time.Minute)
	require.Empty(t, r.log)
}

// TestServicesThatDoNotStart checks that the command runs all the same, and that one line says why.
func TestServicesThatDoNotStart(t *testing.T) {
	t.Parallel()
	need(t, "redis-server")
	redis := found(map[string]string{Redis: ""})
	r := run(t, redis, "echo ran", "BOBBIN_SERVICE_WAIT=1", "PATH=/src/bin:$PATH")
	require.Equal(t, []string{"redis did not get ready within 1 seconds: loading"}, r.notes)
	require.Equal(t, "ran\n", r.out)
	require.Equal(t, "log of redis:\nloading", r.log)

	// Another server holds the port: one that the command before it has left in the same sandbox.
	taken := `redis-server --bind 127.0.0.1 --port 6379 --save "" >/dev/null &
		until redis-cli ping >/dev/null 2>&1; do :; done; ` + "exec sh -c \"$SCRIPT\" services run echo ran"
	cmd := repotest.OpenSandbox(t).Command(repotest.WriteTree(t, nil), "sh", "-c", taken)
	cmd.Env = append(redis.settings(), "SCRIPT="+script, "BOBBIN_SERVICE_MARK=mark", "BOBBIN_SERVICE_WAIT=60",
		"BOBBIN_SERVICE_SLOW=100")
	var printed bytes.Buffer
	cmd.Stdout = &printed
	require.NoError(t, cmd.Run(t.Context()))
	out, report := Wrapped{mark: "mark"}.Cut(printed.String())
	require.Equal(t, "ran\n", out)
	require.Len(t, report.Notes, 1)
	require.Contains(t, report.Notes[0], "redis did not start: ")
	require.Contains(t, report.Notes[0], "Address already in use")
	require.Contains(t, report.Log, "log of redis:")
}

// TestMySQL runs MariaDB, with an account of its own. It runs only where it is installed: CI has none.
func TestMySQL(t *testing.T) {
	t.Parallel()
	need(t, "mariadbd", "mariadb")
	e := Find(tree("compose.yaml", "services: {db: {image: 'mysql:8', environment: "+
		"{MYSQL_ROOT_PASSWORD: example, MYSQL_USER: ann, MYSQL_PASSWORD: secret1, MYSQL_DATABASE: shop}}}"),
		Config{})
	r := run(t, e, `mariadb -h $MYSQL_HOST -u ann -psecret1 shop -e "create table a (b int)" &&
		mariadb -h $MYSQL_HOST -u root -pexample -Ne "select count(*) from shop.a"`)
	r.took = 0 // this machine may be slow
	require.Equal(t, ran{out: "0\n"}, r)
}
