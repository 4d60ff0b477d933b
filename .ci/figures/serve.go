package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// An office is a fake Slack server with an app, a person (ann) and a channel.
type office struct {
	*slacktest.Server
	ann, channel string
}

func openOffice() (*office, error) {
	slack, err := slacktest.Listen(slacktest.Config{AppName: "bobbin", AckTimeout: time.Minute})
	if err != nil {
		return nil, err
	}
	o := &office{Server: slack, ann: slack.AddUser(slacktest.User{Name: "ann", Email: "ann@example.com"}).ID}
	o.channel = slack.AddChannel(slacktest.Channel{
		Name:    "bugs",
		Members: []string{o.ann, slack.App().BotUser},
	}).ID
	return o, nil
}

// A process is a running program that is measured.
type process struct {
	*exec.Cmd
	log   string
	data  string // data directory of bobbin serve
	ended chan struct{}
}

// start runs a program with its output in a file below b.dir. The kernel kills the program when this process
// ends.
func (b *bench) start(cmd *exec.Cmd) (*process, error) {
	log, err := os.CreateTemp(b.dir, "log-")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if cmd.Stdout == nil {
		cmd.Stdout = log
	}
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{Cmd: cmd, log: log.Name(), ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		_ = cmd.Wait()
	}()
	return p, nil
}

// stop sends SIGTERM to the program, and SIGKILL to its process group if it still runs after 15 seconds.
func (p *process) stop() {
	_ = p.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(15 * time.Second):
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
		<-p.ended
	}
}

// tail returns the last 2,000 bytes of the program's output.
func (p *process) tail() string {
	text, _ := os.ReadFile(p.log)
	return strings.TrimSpace(string(text[max(0, len(text)-2000):]))
}

// binary builds cmd/bobbin on the first call and returns its path.
func (b *bench) binary(ctx context.Context) (string, error) {
	name := filepath.Join(b.dir, "bobbin")
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	out, err := exec.CommandContext(ctx, "go", "build", "-ldflags=-s", "-o", name,
		"./cmd/bobbin").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build ./cmd/bobbin: %w: %s", err, out)
	}
	return name, nil
}

// serve starts bobbin serve in an office, with a Postgres that it starts itself, and waits until it is
// connected. configuration is the text of bobbin.yaml, as docs/configuration.md describes it.
func (b *bench) serve(
	ctx context.Context, o *office, model *endpoint, configuration string,
) (*process, error) {
	program, err := b.binary(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(b.dir, "serve-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // commands in the sandbox run as nobody
		return nil, err
	}
	file := filepath.Join(dir, "bobbin.yaml")
	if err := os.WriteFile(file, []byte(configuration), 0o644); err != nil {
		return nil, err
	}
	app := o.App()
	data := filepath.Join(dir, "data")
	cmd := exec.Command(program, "serve", "--config", file)
	cmd.Env = append(os.Environ(), "SLACK_BOT_TOKEN="+app.BotToken, "SLACK_APP_TOKEN="+app.AppToken,
		"SLACK_API_URL="+o.URL(),
		"OPENAI_API_KEY=none", "OPENAI_BASE_URL="+model.URL+"/v1", "BOBBIN_DATA_DIR="+data, "DATABASE_URL=")
	p, err := b.start(cmd)
	if err != nil {
		return nil, err
	}
	p.data = data
	waiting, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	go func() {
		select {
		case <-p.ended:
			cancel()
		case <-waiting.Done():
		}
	}()
	if err := o.WaitConnected(waiting, 2); err != nil {
		p.stop()
		return nil, fmt.Errorf("bobbin serve does not connect: %w: %s", err, p.tail())
	}
	return p, nil
}

// addChannel creates another channel with the same members and returns its id.
func (o *office) addChannel(name string) string {
	return o.AddChannel(slacktest.Channel{Name: name, Members: []string{o.ann, o.App().BotUser}}).ID
}

// await waits until the app posts a message that contains the text in the thread.
func (o *office) await(ctx context.Context, channel, thread, text string) error {
	said, err := o.WaitFor(ctx, channel, thread, func(list []slacktest.Message) bool {
		for _, m := range list {
			if m.BotID != "" && strings.Contains(m.Text, text) {
				return true
			}
		}
		return false
	})
	if err != nil {
		last := ""
		if len(said) > 0 {
			last = said[len(said)-1].Text
		}
		return fmt.Errorf("waited for %q in the thread, whose last line is %q: %w", text, last, err)
	}
	return nil
}
