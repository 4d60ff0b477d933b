package replicas

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/http/cgi"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/postgres"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// An office holds the services that the replicas share, at addresses on the bridge.
type office struct {
	t   *testing.T
	dir string

	database string // URL for the replicas
	db       *pgxpool.Pool
	slack    *slacktest.Server
	ann      string
	channels []string
	model    string
	remotes  []string // folders of the bare repositories
	gitURL   string   // URL of the folder that holds them
}

// openOffice starts the services for a load.
func openOffice(t *testing.T, l load) *office {
	t.Helper()
	o := &office{t: t, dir: harness.Dir(t)}
	o.openDatabase()
	o.openSlack(l)
	o.model = serveOnBridge(t, answerAfter(l.thinking))
	for n := range l.repositories {
		o.remotes = append(o.remotes, filepath.Join(o.dir, "remotes", fmt.Sprintf("shop-%d.git", n)))
		var files []txtar.File // two files for each bug that is reported about this repository
		for bug, all := 0, chatmodel.NumberedBugs(l.sessions); bug < l.sessions; bug++ {
			if bug%l.channels%l.repositories == n {
				files = append(files, all[2*bug:2*bug+2]...)
			}
		}
		require.NoError(t, stage.PlantRemote(o.remotes[n], files))
		require.NoError(t, os.MkdirAll(filepath.Join(o.remotes[n], "hooks"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(o.remotes[n], "hooks", "post-receive"), []byte("#!/bin/sh\ncat >>"+o.book()+"\n"), 0o755))
	}
	path, err := exec.Command("git", "--exec-path").Output()
	require.NoError(t, err)
	log, err := os.Create(o.gitLog())
	require.NoError(t, err)
	t.Cleanup(func() { log.Close() })
	o.gitURL = serveOnBridge(t, &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"), Stderr: log, Env: []string{
		"GIT_PROJECT_ROOT=" + filepath.Join(o.dir, "remotes"), "GIT_HTTP_EXPORT_ALL=1",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_CONFIG_KEY_1=http.receivepack", "GIT_CONFIG_VALUE_1=true",
	}})
	return o
}

// book returns the file in which the remotes record each update of a branch.
func (o *office) book() string { return filepath.Join(o.dir, "book") }

// gitLog returns the file with the error output of git's http-backend.
func (o *office) gitLog() string { return filepath.Join(o.dir, "git.log") }

// serveOnBridge serves h at a port on the bridge, and returns its URL.
func serveOnBridge(t *testing.T, h http.Handler) string {
	l, err := net.Listen("tcp", servicesAddress+":0")
	require.NoError(t, err)
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return "http://" + l.Addr().String()
}

// answerAfter returns a model that mends numbered bugs, with a delay before each answer.
func answerAfter(thinking time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, ok := chatmodel.ReadRequest(w, r)
		if !ok {
			return
		}
		harness.Sleep(r.Context(), thinking)
		tool, args := chatmodel.MendNumberedBug(asked)
		asked.Answer(w, tool, args)
	})
}

// openDatabase starts a durable Postgres that listens on the bridge and requires a password.
func (o *office) openDatabase() {
	t, ctx := o.t, o.t.Context()
	made, err := postgres.Start(ctx, postgres.Config{Dir: filepath.Join(o.dir, "cluster"), Durable: true})
	require.NoError(t, err)
	password := rand.Text()
	admin, err := pgxpool.New(ctx, made.URL())
	require.NoError(t, err)
	_, err = admin.Exec(ctx, fmt.Sprintf(`alter role bobbin password '%s'`, password))
	require.NoError(t, err)
	admin.Close()
	found, err := filepath.Glob(filepath.Join(o.dir, "cluster", "*", "postmaster.opts"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	options, err := os.ReadFile(found[0])
	require.NoError(t, err)
	made.Stop()

	data := filepath.Dir(found[0])
	rules, err := os.OpenFile(filepath.Join(data, "pg_hba.conf"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = fmt.Fprintf(rules, "\nhost all all %s scram-sha-256\n", network)
	require.NoError(t, err)
	require.NoError(t, rules.Close())
	owner, err := os.Stat(data)
	require.NoError(t, err)
	as := owner.Sys().(*syscall.Stat_t)
	cmd := exec.Command(strings.Fields(string(options))[0], "-D", data, "-k", "", "-c", "listen_addresses="+databaseAddress,
		"-c", "max_connections=200", "-c", "shared_buffers=64MB", "-c", "timezone=UTC")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT, Credential: &syscall.Credential{Uid: as.Uid, Gid: as.Gid}}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGQUIT)
		cmd.Wait()
	})
	o.database = (&url.URL{Scheme: "postgres", User: url.UserPassword("bobbin", password), Host: databaseAddress + ":5432", Path: "/bobbin", RawQuery: "sslmode=disable"}).String()
	soon := harness.Soon(t)
	for err = storetest.Migrate(soon, o.database); err != nil && soon.Err() == nil; err = storetest.Migrate(soon, o.database) {
		harness.Sleep(soon, 50*time.Millisecond) // Postgres does not answer yet
	}
	require.NoError(t, err)
	o.db, err = pgxpool.New(ctx, o.database)
	require.NoError(t, err)
	t.Cleanup(o.db.Close)
}

// openSlack starts a workspace whose channels belong to the repositories in turn.
func (o *office) openSlack(l load) {
	var err error
	o.slack, err = slacktest.Listen(slacktest.Config{
		Addr: servicesAddress + ":0", AppName: "bobbin", TeamName: "Acme", RateLimits: l.slackLimits,
		Retries: []time.Duration{0, time.Second, 2 * time.Second, 5 * time.Second, 5 * time.Second, 10 * time.Second, 10 * time.Second},
	})
	require.NoError(o.t, err)
	o.t.Cleanup(o.slack.Close)
	o.ann = o.slack.AddUser(slacktest.User{Name: "ann"}).ID
	for n := range l.channels {
		ch := o.slack.AddChannel(slacktest.Channel{Name: fmt.Sprintf("bugs-%d", n), Members: []string{o.ann, o.slack.App().BotUser}})
		o.channels = append(o.channels, ch.ID)
	}
}

// configuration returns the replicas' bobbin.yaml.
func (o *office) configuration(l load) string {
	var text strings.Builder
	text.WriteString("repositories:\n")
	for n := range o.remotes {
		var channels []string
		for c := n; c < len(o.channels); c += len(o.remotes) {
			channels = append(channels, o.channels[c])
		}
		fmt.Fprintf(&text, "  - {name: shop-%d, url: %q, base: main, channels: [%s]}\n", n, fmt.Sprintf("%s/shop-%d.git", o.gitURL, n), strings.Join(channels, ", "))
	}
	fmt.Fprintf(&text, "sandbox: {kind: auto}\nlimits: {%s}\n", l.limits)
	return text.String()
}

// A replica is a machine on which one process runs after another.
type replica struct {
	*machine
	dir   string
	cmd   *exec.Cmd
	ended chan struct{} // closed when cmd has ended
	used  time.Duration // CPU time of the ended processes
}

// startReplica starts replica n on a new machine.
func (o *office) startReplica(program string, n int, l load) *replica {
	t := o.t
	r := &replica{machine: newMachine(t, n), dir: filepath.Join(o.dir, fmt.Sprint("machine-", n))}
	require.NoError(t, os.Mkdir(r.dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "bobbin.yaml"), []byte(o.configuration(l)), 0o644))
	o.run(program, r)
	t.Cleanup(func() {
		r.kill()
		if log, err := os.ReadFile(r.log()); err == nil && t.Failed() {
			t.Logf("replica %d:\n%s", n, log[max(0, len(log)-4000):])
		}
	})
	return r
}

func (r *replica) log() string { return filepath.Join(r.dir, "log") }

// run starts the program on the replica's machine, with the replica's folder.
func (o *office) run(program string, r *replica) {
	t, app := o.t, o.slack.App()
	r.cmd = exec.Command(program, "serve", "--config", filepath.Join(r.dir, "bobbin.yaml"))
	r.cmd.Env = append(os.Environ(), "SLACK_BOT_TOKEN="+app.BotToken, "SLACK_APP_TOKEN="+app.AppToken, "SLACK_API_URL="+o.slack.URL(),
		"OPENAI_API_KEY=none", "OPENAI_BASE_URL="+o.model+"/v1", "DATABASE_URL="+o.database, "BOBBIN_DATA_DIR="+filepath.Join(r.dir, "data"))
	log, err := os.OpenFile(r.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	defer log.Close()
	r.cmd.Stdout, r.cmd.Stderr = log, log
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, r.start(r.cmd))
	ended := make(chan struct{})
	r.ended = ended
	go func(cmd *exec.Cmd) { defer close(ended); cmd.Wait() }(r.cmd)
}

// kill kills the replica's process with SIGKILL at a random instruction.
func (r *replica) kill() {
	if r.gone() {
		return
	}
	r.cmd.Process.Kill()
	<-r.ended
	r.used += r.cmd.ProcessState.UserTime() + r.cmd.ProcessState.SystemTime()
}

// gone reports whether the replica's process has ended.
func (r *replica) gone() bool { return harness.IsClosed(r.ended) }

// name returns the replica's name in the queue.
func (r *replica) name() string {
	name, _ := storage.ReplicaName(filepath.Join(r.dir, "data")) // none before its first start
	return name
}

// stopReplicas stops all replicas with SIGTERM, as an operator does.
func stopReplicas(ctx context.Context, all []*replica) {
	for _, r := range all {
		r.cmd.Process.Signal(syscall.SIGTERM)
	}
	for _, r := range all {
		select {
		case <-r.ended:
			r.used += r.cmd.ProcessState.UserTime() + r.cmd.ProcessState.SystemTime()
		case <-ctx.Done():
		}
	}
}
