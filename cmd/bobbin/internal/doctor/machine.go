package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/traces"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/repo/screenshot"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// What a bot needs of its machine.
const (
	minDisk    = 1 << 30 // bytes free; less is a problem
	scarceDisk = 5 << 30 // bytes free; less is a warning, because mirrors, workspaces and caches grow
	minFiles   = 4096    // open files; less is a warning
)

// examineTraces checks that the endpoint of the environment, if there is one, accepts traces.
func (d *Doctor) examineTraces(ctx context.Context, f *List) {
	to, err := traces.FromEnvironment(d.con.Env)
	if err != nil {
		f.problem(err.Error(), "correct it, or unset it: serve does not start with it")
		return
	}
	if to.URL == "" {
		return
	}
	where, _ := url.Parse(to.URL)
	if err := traces.Check(ctx, to); err != nil {
		f.warn(fmt.Sprintf("traces cannot be sent to %s: %s", where.Host, plaintext.SafeLine(err.Error(),
			200)), "start the collector, or correct OTEL_EXPORTER_OTLP_ENDPOINT and "+
			"OTEL_EXPORTER_OTLP_HEADERS; the bot works without, and what is not sent is lost")
		return
	}
	f.ok("%s accepts traces", where.Host)
}

// examineMachine examines the data directory, the limits of the system, and the proxies, trace endpoint and
// package registries that the account is set up with.
func (d *Doctor) examineMachine(ctx context.Context, f *List) {
	d.examineDataDir(f)
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil {
		examineFileLimit(uint64(files.Cur), f)
	}
	d.examineProxies(f)
	d.examineTraces(ctx, f)
	// Packages of repositories are fetched from the registries that this account itself uses.
	for _, kind := range []string{"go", "node", "python"} {
		asking, cancel := context.WithTimeout(ctx, packages.AccountTimeout)
		found, err := packages.FindAccount(asking, kind)
		cancel()
		if err != nil {
			f.warn("the registries of this account for "+kind+" projects are not known: "+err.Error(),
				"run that command by hand, and see why it takes so long")
		}
		if len(found.LeftOut) > 0 {
			f.warn(strings.Join(found.LeftOut, ", ")+
				" of this account has a password in its address, and is not used for repositories' packages",
				"name a mirror without one under setup.env of the repository")
		}
		if own := slices.DeleteFunc(found.Env, packages.IsUsualAccount); len(own) > 0 {
			f.ok("packages of %s projects come from this account's own registries: %s", kind,
				strings.Join(own, ", "))
		}
	}
}

func (d *Doctor) examineDataDir(f *List) {
	dir := d.settings.DataDir
	if err := storage.CheckDataDir(dir); err != nil {
		what, cure, _ := strings.Cut(err.Error(), "; ")
		f.problem(what, cure)
		return
	}
	at := dir
	for at != filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		at = filepath.Dir(at)
	}
	trial, err := os.MkdirTemp(at, ".bobbin-doctor-")
	if err != nil {
		f.problem(fmt.Sprintf("the data directory %s cannot be written: %v", dir, cli.Errno(err)),
			fmt.Sprintf("mkdir -p %s and give it to %s, or name another folder with BOBBIN_DATA_DIR",
				dir, accountName()))
		return
	}
	os.Remove(trial)
	text := "data directory " + dir
	switch {
	case d.botAtWork:
		text += ", where a bot is at work now"
	case at != dir:
		text += ", which is made at the first start"
	}
	free, known := freeBytes(at)
	switch {
	case known && free < minDisk:
		f.problem(fmt.Sprintf("%s has %s left", text, cli.Gigabytes(free)),
			"make room, or name another folder with BOBBIN_DATA_DIR; bobbin clean removes old files")
	case known && free < scarceDisk:
		f.warn(fmt.Sprintf("%s has %s left", text, cli.Gigabytes(free)), "mirrors, sessions' folders and "+
			"build caches grow: make room, or lower keep.files_gb and keep.cache_gb")
	default:
		f.ok("%s, %s free", text, cli.Gigabytes(free))
	}
}

func accountName() string {
	if os.Getuid() == 0 {
		return "root"
	}
	return fmt.Sprintf("uid %d", os.Getuid())
}

func freeBytes(dir string) (int64, bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, false
	}
	return int64(uint64(disk.Bavail) * uint64(disk.Bsize)), true
}

func examineFileLimit(most uint64, f *List) {
	if most < minFiles {
		f.warn(fmt.Sprintf("this process may have %d files open at once", most),
			fmt.Sprintf("raise it before the start: ulimit -n %d (systemd: LimitNOFILE=%d)",
				4*minFiles, 4*minFiles))
		return
	}
	f.ok("%d files may be open at once", most)
}

// examineProxies reports the proxies that requests to Slack, models and git remotes go through.
func (d *Doctor) examineProxies(f *List) {
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"} {
		value := d.con.Env(name)
		if value == "" {
			name = strings.ToLower(name)
			value = d.con.Env(name)
		}
		if value == "" {
			continue
		}
		u, err := url.Parse(value)
		switch {
		case strings.EqualFold(name, "ALL_PROXY"):
			f.warn(name+" is set, and Bobbin does not read it",
				"set HTTPS_PROXY as well, and NO_PROXY for what is near")
		case err != nil || u.Host == "" && !strings.Contains(value, ":"):
			f.problem(name+" is not an address", "write it as http://host:port, or unset it")
		default:
			f.note(fmt.Sprintf("requests go through the proxy %s (%s)", u.Host, name),
				"it has to pass WebSockets to Slack; list in NO_PROXY the hosts that should not use it")
		}
	}
}

// examineSandbox reports which kind of sandbox confines commands.
func (d *Doctor) examineSandbox(ctx context.Context, f *List) {
	d.openedSandbox(ctx)
	*f = append(*f, d.sandboxFindings...)
}

// openedSandbox returns the sandbox that serve would open, or nil if none works. It opens it once.
func (d *Doctor) openedSandbox(ctx context.Context) *sandbox.Sandbox {
	d.opening.Do(func() { d.opened = d.openSandbox(ctx, &d.sandboxFindings) })
	return d.opened
}

// openSandbox opens the sandbox, and also reports why the kinds that are tried before it do not work.
func (d *Doctor) openSandbox(ctx context.Context, f *List) *sandbox.Sandbox {
	kind := d.settings.Sandbox.Kind
	box, whys, err := sandbox.Find(ctx, d.settings.Sandbox.Options(kind, d.log))
	if err != nil {
		f.failed("sandbox "+kind, err)
		return nil
	}
	if box != nil {
		if box.Kind() == sandbox.KindNone {
			f.warn(server.NotConfined,
				"remove sandbox.kind from the configuration")
		} else {
			f.ok("%s", box.Describe())
		}
		for _, u := range whys {
			f.note(u.Kind+" is not it: "+u.Why, u.Cure)
		}
		reportToolchains(ctx, box, f)
		if box.Kind() != sandbox.KindNone && !(&screenshot.Camera{Sandbox: box}).HasBrowser(ctx) {
			f.note("commands find no Chromium: there are no pictures of pages before and after a change",
				"install one (apt-get install chromium-headless-shell, or chromium), if you want such "+
					"pictures")
		}
		return box
	}
	if len(whys) == 1 {
		unusable := unusableSandbox(whys[0])
		f.problem(unusable.What, unusable.Cure)
		return nil
	}
	f.warn("no kind of sandbox works here: commands and checks are off, and nothing is proven",
		"follow the advice for one of them")
	for _, u := range whys {
		f.note(u.Kind+": "+u.Why, u.Cure)
	}
	return nil
}

// A toolchain is a program that checks run, with the kind of projects that need it, and how to install it.
type toolchain struct{ program, kind, cure string }

var tools = []toolchain{
	{"go", "go", "install Go (apt-get install golang-go, or https://go.dev/dl)"},
	{"node", "node", "install Node (apt-get install nodejs npm)"},
	{
		"python3", "python",
		"install Python (apt-get install python3 python3-pytest)",
	},
	{"cargo", "rust", "install Rust (apt-get install cargo)"},
	{"make", "make", "install make (apt-get install make)"},
}

// reportToolchains reports which of the toolchains commands in the sandbox find.
func reportToolchains(ctx context.Context, box *sandbox.Sandbox, f *List) {
	here := programsInside(ctx, box)
	var have, lack []string
	for _, t := range tools {
		if here[t.program] {
			have = append(have, t.program)
		} else {
			lack = append(lack, t.program)
		}
	}
	if len(have) > 0 {
		f.ok("commands find %s", strings.Join(have, ", "))
	}
	if len(lack) > 0 {
		f.note("commands do not find "+strings.Join(lack, ", "),
			"install what your repositories build and test with, where every user can read it")
	}
}

// LacksToolchain returns what is wrong, with the cure, if a command in the sandbox does not find the program
// of the toolchain for that kind of projects.
func LacksToolchain(ctx context.Context, box *sandbox.Sandbox, kind string) (f Finding, lacks bool) {
	at := slices.IndexFunc(tools, func(t toolchain) bool { return t.kind == kind })
	if at < 0 || programsInside(ctx, box)[tools[at].program] {
		return Finding{}, false
	}
	return Finding{
		State: stateProblem,
		What:  "commands do not find " + tools[at].program,
		Cure:  tools[at].cure + ", where every user can read it",
	}, true
}

// programsInside returns the toolchains' programs that a command in the sandbox finds; none if it cannot
// run.
func programsInside(ctx context.Context, box *sandbox.Sandbox) map[string]bool {
	here := map[string]bool{}
	dir, err := os.MkdirTemp("", "bobbin-")
	if err != nil {
		return here
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // as root, commands run as the user nobody
		return here
	}
	if err := box.Own(dir); err != nil {
		return here
	}
	line := "for p in"
	for _, t := range tools {
		line += " " + t.program
	}
	var out bytes.Buffer
	cmd := box.Command(dir, "sh", "-c", line+"; do command -v $p >/dev/null && echo $p; done; true")
	cmd.Stdout = &out
	if err := cmd.Run(ctx); err != nil {
		return here
	}
	for _, p := range strings.Fields(out.String()) {
		here[p] = true
	}
	return here
}
