package environment

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

//go:embed services.sh
var script string

// readyWithin is how long a service may take until it is ready, in seconds.
const readyWithin = "60"

// slowAfter is after how long the wait for a service is said, in hundredths of a second.
const slowAfter = "100"

// insidePrepared is the folder of prepared data as commands see it.
const insidePrepared = "/cache/services"

// A Wrapped command starts the services before it runs.
type Wrapped struct{ mark string }

// Wrap changes the command: it gets the environment's variables, and it starts the services, runs as before,
// and stops them. If its output is to be shown as it is, the report about services is at the end of it; Cut
// takes it out. Nothing is started for a command with started false. prepared is the folder that Prepare
// wrote; empty: none.
func (e *Environment) Wrap(cmd *sandbox.Cmd, prepared string, started bool) Wrapped {
	if e == nil {
		return Wrapped{}
	}
	cmd.Env = append(cmd.Env, e.Env...)
	if len(e.Services) == 0 || !started {
		return Wrapped{}
	}
	w := Wrapped{mark: "--- services (started for this command, empty) " + rand.Text()[:8] + " ---"}
	cmd.Env = append(cmd.Env, e.settings()...)
	cmd.Env = append(cmd.Env, "BOBBIN_SERVICE_MARK="+w.mark, "BOBBIN_SERVICE_WAIT="+readyWithin,
		"BOBBIN_SERVICE_SLOW="+slowAfter)
	if prepared != "" {
		cmd.Mounts = append(slices.Clone(cmd.Mounts), sandbox.Mount{Host: prepared, Inside: insidePrepared})
		cmd.Env = append(cmd.Env, "BOBBIN_PREPARED="+insidePrepared)
	}
	cmd.Args = append([]string{"sh", "-c", script, "services", "run"}, cmd.Args...)
	return w
}

// settings returns the variables that services.sh reads.
func (e *Environment) settings() []string {
	var services, roles, databases, mysql []string
	for _, s := range e.Services {
		services = append(services, fmt.Sprintf("%s:%s:%d", s.Kind, s.Version, s.Port))
		switch s.Kind {
		case Postgres:
			roles = unique(append([]string{s.User}, e.users[Postgres]...))
		case MySQL:
			for _, user := range unique(append([]string{s.User}, e.users[MySQL]...)) {
				if user != "root" {
					mysql = append(mysql, user+":"+s.Password)
				}
			}
			mysql = append(mysql, "root:"+s.rootPassword)
		}
		if s.Kind != Redis {
			for _, name := range unique(append([]string{s.Database}, e.databases[s.Kind]...)) {
				databases = append(databases, s.Kind+"/"+name)
			}
		}
	}
	return []string{
		"BOBBIN_SERVICES=" + strings.Join(services, " "),
		"BOBBIN_ROLES=" + strings.Join(roles, " "),
		"BOBBIN_DATABASES=" + strings.Join(databases, " "),
		"BOBBIN_MYSQL_USERS=" + strings.Join(mysql, " "),
	}
}

// unique returns the names without repetitions, in their order.
func unique(names []string) (out []string) {
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// A Report is what there is to say of the services of a command.
type Report struct {
	Notes []string      // lines for people about services that did not start
	Log   string        // the end of the services' logs
	Took  time.Duration // until the last one was ready, and the command began; 0: less than a second
}

// Cut splits the output of a wrapped command into what the command printed and the report about services.
func (w Wrapped) Cut(output string) (printed string, r Report) {
	if w.mark == "" {
		return output, r
	}
	at := strings.LastIndex(output, "\n"+w.mark+"\n")
	if at < 0 {
		return output, r
	}
	var rest strings.Builder
	for line := range strings.Lines(output[at+len(w.mark)+2:]) {
		if note, ok := strings.CutPrefix(line, "note: "); ok {
			r.Notes = append(r.Notes, strings.TrimSpace(note))
			continue
		}
		if ready, ok := strings.CutPrefix(line, "ready: "); ok {
			_, after, _ := strings.Cut(strings.TrimSpace(ready), " ")
			took, _ := time.ParseDuration(strings.ReplaceAll(after, " ", ""))
			r.Took = max(r.Took, took)
			continue
		}
		rest.WriteString(line)
	}
	r.Log = strings.TrimSuffix(rest.String(), "\n")
	return output[:at], r
}

// An Installed is a wanted service with the version that is installed where commands run.
type Installed struct {
	Service
	Has string // such as 15.7; empty: it is not installed
}

// packages are the names of Debian's packages of services.
var packages = map[string]string{Postgres: "postgresql", Redis: "redis-server", MySQL: "mariadb-server"}

// Line says in one line what is wrong: another version is installed, or none. It is empty if all is well.
func (i Installed) Line() string {
	wanted := i.Kind
	if i.Version != "" {
		wanted += " " + i.Version
	}
	switch {
	case i.Has == "":
		return fmt.Sprintf("The tests want %s (%s), which is not installed where they run: "+
			"`apt-get install %s`, or an image that has it; or write `services: off` for the repository.",
			wanted, i.From, packages[i.Kind])
	case i.Version != "" && !strings.HasPrefix(i.Has+".", i.Version+"."):
		return fmt.Sprintf("The tests want %s (%s); they run with %s.", wanted, i.From, i.Has)
	}
	return ""
}

// Look returns the services with the versions that are installed where commands of the sandbox run. dir is a
// folder for its command to work in.
func (e *Environment) Look(ctx context.Context, box *sandbox.Sandbox, dir string) ([]Installed, error) {
	if e == nil || len(e.Services) == 0 {
		return nil, nil
	}
	cmd := box.Command(dir, "sh", "-c", script, "services", "look")
	cmd.ReadOnly = true
	cmd.Env = e.settings()
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.Limits.Time = time.Minute
	var exit *sandbox.ExitError
	if err := cmd.Run(ctx); err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("look for services: %w", err)
	}
	versions := map[string]string{}
	for line := range strings.Lines(out.String()) {
		kind, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions[kind] = version
		if version == "" {
			versions[kind] = "an unknown version"
		}
	}
	var found []Installed
	for _, s := range e.Services {
		found = append(found, Installed{Service: s, Has: versions[s.Kind]})
	}
	return found, nil
}

// Prepare makes the empty data folders of the services, unless dir has them, and returns their folder, which
// has the versions in its name. It is empty if there is nothing to prepare. dir is a folder of the
// repository's cache.
func (e *Environment) Prepare(
	ctx context.Context, box *sandbox.Sandbox, dir string, have []Installed,
) (string, error) {
	name := ""
	for _, i := range have {
		if i.Has != "" && i.Kind != Redis {
			name += i.Kind + "-" + i.Has + "-"
		}
	}
	if name == "" {
		return "", nil
	}
	ready := filepath.Join(dir, strings.Map(fileName, name)+box.Kind())
	if _, err := os.Stat(ready); err == nil {
		return ready, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	making, err := os.MkdirTemp(dir, "new-")
	if err != nil {
		return "", err
	}
	defer disk.RemoveFolder(making) //nolint:errcheck // it is gone after the rename
	if err := errors.Join(os.Chmod(making, 0o755), box.Own(making)); err != nil {
		return "", err
	}
	cmd := box.Command(making, "sh", "-c", script, "services", "prepare", "/src")
	cmd.Env = e.settings()
	cmd.Limits.Time = 2 * time.Minute
	if err := cmd.Run(ctx); err != nil {
		return "", fmt.Errorf("prepare services: %w", err)
	}
	if err := os.Rename(making, ready); err != nil {
		if _, there := os.Stat(ready); there == nil {
			return ready, nil // another process was faster
		}
		return "", err
	}
	return ready, nil
}

// fileName replaces characters that a version has and a file's name should not.
func fileName(r rune) rune {
	if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '_'
}
