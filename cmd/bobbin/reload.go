package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/doctor"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/operate"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
)

// listenHangup returns a channel that receives each SIGHUP from now on. Before the call, a SIGHUP ends the
// process.
func listenHangup() <-chan os.Signal {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	return asked
}

// rememberEnvironment wraps env so that it keeps each value that was read. Secrets are removed from the
// environment when they are first read, and a configuration that is read again needs them too.
func rememberEnvironment(env func(string) string) func(string) string {
	var mu sync.Mutex
	known := map[string]string{}
	return func(name string) string {
		mu.Lock()
		defer mu.Unlock()
		if value := env(name); value != "" {
			known[name] = value
		}
		return known[name]
	}
}

// A reloader runs the bot and restarts it with new settings on request. Work in progress is handed over as
// at any stop, and continues with the new settings.
type reloader struct {
	command *serveCommand
	con     cli.Console
	log     *slog.Logger
	asked   <-chan os.Signal
	file    []byte    // the configuration file that the bot works with, or starts with
	refused time.Time // when new settings were last refused; zero: they were not
}

func (r *reloader) run(ctx context.Context, s server.Settings) error {
	for before, file := (*server.Settings)(nil), r.file; ; {
		service, err := server.New(ctx, s, r.log)
		if err != nil && before != nil && ctx.Err() == nil {
			r.refuse(err)
			s = *before
			r.file = file
			service, err = r.startAgain(ctx, s)
		}
		if err != nil {
			return describeEnd(ctx, err, s)
		}
		file = r.file
		next, err := r.serve(ctx, service, s.DataDir)
		if next == nil {
			return describeEnd(ctx, err, s)
		}
		was := s
		s = *next
		before = &was
	}
}

// startAgain starts the bot with settings with which it worked before. It waits while something is out of
// order that may pass, such as Slack, so that a reload at that time does not end the bot.
func (r *reloader) startAgain(ctx context.Context, s server.Settings) (service *server.Server, err error) {
	again := storage.Retry{Refused: func(err error) bool {
		var wrong cli.UsageError
		return ctx.Err() != nil || errors.As(describeEnd(ctx, err, s), &wrong)
	}, Log: r.log, Message: "the bot does not start with the configuration that it had before; trying again"}
	err = again.Do(ctx, func() (err error) {
		service, err = server.New(ctx, s, r.log)
		return err
	})
	return service, err
}

// serve runs the bot until it ends or until new settings have been read. It returns those settings; nil
// means that the bot ended.
func (r *reloader) serve(
	ctx context.Context, service *server.Server, dir string,
) (next *server.Settings, err error) {
	defer service.Close()
	defer r.announce(dir)() // while the folder is locked, so that no other process writes the file
	if !r.refused.IsZero() {
		service.Monitor.RefuseConfiguration(r.refused)
	}
	if service.Monitor.Addr != "" {
		fmt.Fprintf(r.con.Err, "bobbin: health is at http://%s/readyz\n", service.Monitor.Addr)
	}
	// releases the memory that start-up needed; an idle collector would keep it for minutes
	debug.FreeOSMemory()
	running, end := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		said := "bobbin: the configuration was read again and is in use now."
		for next == nil {
			select {
			case <-running.Done():
				return
			case <-r.asked:
			}
			s, file, err := r.command.settings(r.con, r.log)
			if err != nil {
				r.refuse(err)
				service.Monitor.RefuseConfiguration(r.refused)
				continue
			}
			if bytes.Equal(file, r.file) {
				said = "bobbin: the configuration was read again and is in use now, but its file is the " +
					"same as before. If you changed it and the bot runs in a container: a container into " +
					"which a single file is mounted does not see the one that an editor puts in its " +
					"place. Restart the container."
			}
			next = &s
			r.file = file
			r.refused = time.Time{}
		}
		fmt.Fprintln(r.con.Err, said)
		end()
	}()
	ready := make(chan struct{})
	go func() {
		defer close(ready)
		r.sayReady(running, service)
	}()
	err = service.Run(running)
	end()
	<-watched
	<-ready
	if ctx.Err() != nil || err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return next, err
}

// sayReady waits until the bot is ready, and says what it works with and what is off.
func (r *reloader) sayReady(ctx context.Context, service *server.Server) {
	if service.Monitor.WaitReady(ctx) != nil {
		return
	}
	standing := service.Standing(ctx)
	fmt.Fprintf(r.con.Err, "bobbin: ready: %s. Mention it to begin; Ctrl-C stops.\n", standing.Works)
	off := append(doctor.FromStanding(standing), doctor.LookAtEndpoint(ctx, standing.Settings)...)
	for _, f := range off {
		fmt.Fprintf(r.con.Err, "bobbin: off: %s → %s\n", f.What, cmp.Or(f.Cure, "bobbin doctor says more"))
	}
}

// refuse logs why new settings are not applied, and notes the time.
func (r *reloader) refuse(err error) {
	r.refused = time.Now()
	r.log.Error("the changed configuration is refused as a whole, and the previous one stays", "err", err)
}

// announce writes the process id to the file that bobbin reload reads. The function that it returns removes
// the file.
func (r *reloader) announce(dir string) (remove func()) {
	name := filepath.Join(dir, pidFile)
	if err := os.WriteFile(name, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		r.log.Warn("bobbin reload does not find this process", "err", err)
	}
	return func() { os.Remove(name) }
}

// pidFile is the name of the file in a data directory that holds the id of the bot's process.
const pidFile = "serve.pid"

type reloadCommand struct {
	operate.StorageFlags
	Config string `from:"BOBBIN_CONFIG" help:"The configuration file, which is checked before the bot is asked ($BOBBIN_CONFIG; else bobbin.yaml here)." placeholder:"FILE"`
}

// Help returns the detailed text of bobbin reload --help.
func (reloadCommand) Help() string {
	return `Sends SIGHUP to the bot that works in the data directory. If the file has a fault, all of
it is refused: the previous configuration stays, and the bot's log and health say so. Otherwise the
bot restarts its parts with the new file within seconds, and work continues where it was. Variables of
the environment and flags stay as they were at the start.`
}

// Run checks the configuration file, if one is named, and sends SIGHUP to the bot of the data directory.
func (r *reloadCommand) Run(_ context.Context, con cli.Console) error {
	if r.Config != "" {
		if _, err := config.Load(r.Config); err != nil {
			return err
		}
	}
	s, err := r.Target(con)
	if err != nil {
		return err
	}
	said, err := os.ReadFile(filepath.Join(s.DataDir, pidFile))
	pid, notPID := strconv.Atoi(strings.TrimSpace(string(said)))
	if err != nil || notPID != nil || pid < 1 || !storage.IsLocked(s.DataDir) {
		// pid 1 is valid: in a container the bot is process 1
		return cli.UsageError{Err: fmt.Errorf("bobbin: no bot works in %s; "+
			"name its own folder with --data-dir or BOBBIN_DATA_DIR", s.DataDir)}
	}
	if err := syscall.Kill(pid, syscall.SIGHUP); err != nil {
		return fmt.Errorf("ask process %d: %w", pid, err)
	}
	fmt.Fprintf(con.Out,
		"Asked process %d to read its configuration again; its log has the result.\n", pid)
	return nil
}
