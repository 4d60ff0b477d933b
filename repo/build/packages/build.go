package packages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/manager"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A fetchRun carries out a plan in a folder with this content:
//
//	src/       manifests; mounted at /src
//	scratch/   temporary files; mounted at /scratch
//	kept/out/  results; mounted at /packages
type fetchRun struct {
	fetcher *Fetcher
	job     Job
	plan    plan
	dir     string
	kept    string       // the final name of the kept folder
	report  proxy.Report // of the proxy, after the steps
	lost    []Missing    // what could not be fetched, if the rest of the plan could
}

func (f *fetchRun) pathOf(parts ...string) string {
	return filepath.Join(append([]string{f.dir}, parts...)...)
}

// prepareFolders creates the folders and makes the user that commands run as their owner.
func (f *fetchRun) prepareFolders() error {
	// others may enter: the lock protects the folder, and nothing in it is secret
	errs := []error{os.Chmod(f.dir, 0o755)}
	for _, dir := range []string{f.pathOf("src"), f.pathOf("scratch"), f.pathOf("kept", "out")} {
		errs = append(errs, os.MkdirAll(dir, 0o755))
	}
	for _, o := range outputs {
		errs = append(errs, os.Mkdir(f.pathOf("kept", "out", o.name), 0o755))
	}
	errs = append(errs, f.plan.writeManifests(f.pathOf("src")),
		copyPlain(f.kept+pinsSuffix, f.pathOf("src"), f.plan.pinPaths()))
	_ = os.Chtimes(f.kept+pinsSuffix, time.Time{}, time.Now()) // marks the pins as used
	for _, m := range f.plan.managers {
		for name, text := range m.Helpers {
			errs = append(errs, os.WriteFile(f.pathOf("scratch", name), []byte(text), 0o644))
		}
	}
	for name, text := range manager.BumpHelpers {
		if f.plan.bump {
			errs = append(errs, os.WriteFile(f.pathOf("scratch", name), []byte(text), 0o644))
		}
	}
	for _, dir := range []string{f.pathOf("src"), f.pathOf("scratch"), f.pathOf("kept", "out")} {
		errs = append(errs, f.fetcher.Sandbox.Own(dir))
	}
	return errors.Join(errs...)
}

// errTooMuch ends a command that uses too much disk space.
var errTooMuch = errors.New("it took more of the disk than may be")

// runSteps runs the steps of the plan, with a proxy as their only way to the network.
func (f *fetchRun) runSteps(ctx context.Context) error {
	c := f.job.Config
	limit := c.Time
	if limit == 0 {
		limit = defaultTime
	}
	own := f.fetcher.ownRegistries(ctx, f.plan.managers)
	way, err := proxy.Open(proxy.Config{
		Allow:        c.allowedHosts(f.plan.managers, own),
		Private:      c.privateHosts(f.plan.managers, own),
		BlockedHosts: f.fetcher.BlockedHosts,
		Logins:       f.job.logins(),
		Roots:        f.fetcher.Roots,
		Network:      f.fetcher.Network,
		Log:          f.fetcher.log(),
	})
	if err != nil {
		return err
	}
	defer way.Close()
	if err := f.writeTrust(way.Authority()); err != nil {
		return err
	}
	if own, err = f.plan.withoutOverruled(own); err != nil {
		return err
	}
	until := time.Now().Add(limit)
	inner, stop := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { f.watchDisk(inner, stop) })
	defer func() {
		stop(nil)
		watching.Wait()
	}()
	env, err := f.loginVariables(own, way.Authority() != nil)
	if err != nil {
		return err
	}
	run := func(s step, out *tail) error {
		cmd := f.stepCommand(s, own, way.Socket(), out, time.Until(until))
		cmd.Env = append(cmd.Env, env...)
		err := cmd.Run(inner)
		f.report = way.Report()
		if err == nil {
			return nil
		}
		err = f.stepError(ctx, context.Cause(inner), s, err, out.String(), limit)
		if missing := (*Missing)(nil); errors.As(err, &missing) {
			f.explainOwn(missing, out.all)
		}
		return err
	}
	if err := f.runEach(ctx, run); err != nil {
		return err
	}
	way.Close() // after Close, the report is complete
	f.report = way.Report()
	return nil
}

// watchDisk measures the disk use every second, and calls stop if it is too high.
func (f *fetchRun) watchDisk(ctx context.Context, stop context.CancelCauseFunc) {
	sandbox.Repeat(ctx, time.Second, func() bool {
		full := disk.DiskUse(f.dir) > cmp.Or(f.fetcher.disk, maxDisk)
		if full {
			stop(errTooMuch)
		}
		return !full
	})
}

func (f *fetchRun) stepCommand(
	s step, own []string, socket string, out *tail, limit time.Duration,
) *sandbox.Cmd {
	cmd := f.job.Config.Tools.sandboxOr(f.fetcher.Sandbox).Command(f.pathOf("src"), "sh", "-c", s.line)
	cmd.Dir = s.dir
	cmd.ProxySocket = socket
	cmd.Stdout = out
	cmd.Stderr = out
	cmd.Limits.Time = max(limit, time.Second)
	cmd.Mounts = []sandbox.Mount{
		{Host: f.pathOf("kept", "out"), Inside: insidePackages, Writable: true},
		{Host: f.pathOf("scratch"), Inside: insideScratch, Writable: true},
	}
	if _, err := os.Stat(f.pathOf("trust")); err == nil {
		cmd.Mounts = append(cmd.Mounts, sandbox.Mount{Host: f.pathOf("trust"), Inside: insideTrust})
	}
	machine := ""
	if f.plan.kind() == "go" {
		// go downloads modules without running their code, so no untrusted code can read the machine's cache
		machine = f.fetcher.machineCache()
	}
	if machine != "" {
		cmd.Mounts = append(cmd.Mounts, sandbox.Mount{Host: machine, Inside: insideMachine})
	}
	cmd.Env = append(f.job.Config.environment(own, machine != ""), s.env...)
	f.addExtra(cmd)
	f.job.Config.Tools.add(cmd)
	return cmd
}

// machineCache returns the part of this machine's module cache that works as a module proxy, or an empty
// string.
func (f *Fetcher) machineCache() string {
	dir := filepath.Join(f.ModuleCache, "cache", "download")
	if info, err := os.Stat(dir); f.ModuleCache == "" || err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// stepError returns the error for a failed step: a Missing with the reason and a way to solve it, if there is
// one.
func (f *fetchRun) stepError(
	ctx context.Context, cause error, s step, err error, output string, limit time.Duration,
) error {
	var exit *sandbox.ExitError
	e := &Missing{Output: output, Refused: f.report.Refused}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(cause, errTooMuch):
		e.stops = true
		e.Why = errTooMuch.Error()
		e.Cure = fmt.Sprintf("%d GB are allowed while packages are fetched; "+
			"`setup.run` in the configuration can fetch less", maxDisk>>30)
	case !errors.As(err, &exit):
		return fmt.Errorf("setup: %w", err)
	case exit.Reason == "time":
		e.Why = fmt.Sprintf("`%s` was not done after %s", s.shown, limit)
		e.Cure = "`setup.minutes` in the configuration allows more"
		e.OutOfTime = true
		e.stops = true
	case f.report.Full:
		e.stops = true
		e.Why = fmt.Sprintf("`%s` asked for more than may be fetched at once", s.shown)
		e.Cure = "`setup.run` in the configuration can fetch less"
	case exit.Reason == "" && e.explainDenials(s.shown, f.report.Denied):
	case exit.Reason != "":
		e.Why = fmt.Sprintf("`%s` was stopped (%s)", s.shown, exit.Reason)
		e.Cure = "`setup.run` in the configuration can do with less"
	case len(e.Refused) > 0:
		e.Why = fmt.Sprintf("`%s` was refused %s", s.shown, refusedHosts(e.Refused))
		f.curesRefusal(e, f.fetcher.ownRegistries(ctx, f.plan.managers))
	case len(f.report.Missed) > 0:
		m := f.report.Missed[0]
		e.Why = fmt.Sprintf("`%s` failed with exit code %d: %s was asked for, and %s", s.shown, exit.Code,
			m.Target, m.Why)
		e.Cure = "the machine I run on has to reach it, or `setup.env` in the configuration names a mirror"
	default:
		e.Why = fmt.Sprintf("`%s` failed with exit code %d", s.shown, exit.Code)
		e.Cure = "`setup.run` in the configuration says how it is done instead, and `setup: " +
			"off` that it is not"
		if host := f.wantsLogin(output); host != "" {
			e.Cure = "if `" + host + "` wants a login, `setup: {auth: [{host: " + host + ", token_env: " +
				"NAME_OF_A_VARIABLE}]}` in the configuration"
		}
	}
	return e
}

// refusedHosts returns the first three refused hosts in code marks. The names come from untrusted commands.
func refusedHosts(list []proxy.Refusal) string {
	var out []string
	for _, r := range list {
		name := "`" + strings.ReplaceAll(strings.TrimSuffix(r.Target, ":443"), "`", "'") + "`"
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return plaintext.FirstOf(out, 3)
}

// curesRefusal sets the Cure of e to the setting that would allow the refused hosts. It names all allowed
// hosts, because setup.allow replaces the default hosts.
func (f *fetchRun) curesRefusal(e *Missing, own []string) {
	hosts := f.job.Config.allowedHosts(f.plan.managers, own)
	allowed := len(hosts)
	private := []string(nil)
	for _, r := range f.report.Refused {
		host, port, _ := strings.Cut(r.Target, ":")
		if port != "443" && port != "80" {
			host = r.Target
		}
		switch {
		case proxy.CheckHost(host) != nil:
		case strings.Contains(r.Why, "setup.private"):
			private = append(private, host)
		case !slices.Contains(hosts, host):
			hosts = append(hosts, host)
		}
	}
	switch {
	case len(hosts) > allowed:
		e.Allow = hosts
		e.Cure = "if that is meant, `setup: {allow: [" + strings.Join(hosts, ", ") +
			"]}` in the configuration"
	case len(private) > 0:
		e.Private = private
		e.Cure = "if that is meant, `setup: {private: [" + strings.Join(private, ", ") +
			"]}` in the configuration"
	default:
		e.Cure = "`setup.run` in the configuration says how it is done instead, and `setup: " +
			"off` that it is not"
	}
}

// noteFile is the name of the file with the note.
const noteFile = "setup.json"

// A setupRecord is the content of noteFile.
type setupRecord struct {
	Instead  string    // from where the packages come instead of the registry; empty: from there
	Node     []string  // repository folders; the node_modules of folder number n is in node/<n>
	Vendor   []string  // repository folders; the vendor of folder number n is in vendor/<n>
	Resolved []string  // files that the tools would write if the repository has none
	Lost     []Missing // what could not be fetched; the rest was
	Manager  string    // that fetched them; empty: the operator's commands
	// the SHA-256 of the files that name the packages
	Locks map[string]string
}

// nodeCaches lists the folders in node_modules that Node tools write to and need. They become links to /tmp,
// which is writable and separate for each command.
var nodeCaches = []string{".cache", ".vite", ".vite-temp", ".vitest"}

// keepFetched moves the results out of the folders that commands could write to. Commands may have planted
// links anywhere, so all operations go through one os.Root.
func (f *fetchRun) keepFetched() error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	n := setupRecord{
		Resolved: f.plan.pinPaths(), Lost: f.lost, Instead: f.readInstead(), Manager: f.plan.manager(),
	}
	if n.Locks, err = f.plan.lockHashes(); err != nil {
		return err
	}
	if n.Node, err = keepBeside(root, f.plan.nodeFolders(), nodeModules, nodeDir); err != nil {
		return err
	}
	for i := range n.Node {
		for _, name := range nodeCaches { // an existing entry stays as it is
			_ = root.Symlink("/tmp", path.Join("kept", nodeDir, strconv.Itoa(i), name))
		}
	}
	if n.Vendor, err = keepBeside(root, f.plan.vendorFolders(), vendor, vendor); err != nil {
		return err
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return root.WriteFile("kept/"+noteFile, text, 0o644)
}

// The names of the folders with packages beside a manifest, and of the folder in which those of Node are
// kept.
const (
	nodeModules = "node_modules"
	nodeDir     = "node"
	vendor      = "vendor"
)

// keepBeside moves the folders of that name out of folders of the repository, each to a number below kept/to.
// It returns the folders that have one.
func keepBeside(root *os.Root, dirs []string, name, to string) (have []string, err error) {
	for _, dir := range dirs {
		from := path.Join("src", dir, name)
		if info, err := root.Lstat(from); err != nil || !info.IsDir() {
			continue
		}
		at := path.Join("kept", to, strconv.Itoa(len(have)))
		if err := errors.Join(root.MkdirAll(path.Dir(at), 0o755), root.Rename(from, at)); err != nil {
			return nil, err
		}
		have = append(have, dir)
	}
	return have, nil
}

// vendorFolders returns the folders in which composer puts a vendor folder.
func (p plan) vendorFolders() (dirs []string) {
	if p.kind() != "php" {
		return nil
	}
	for _, s := range p.steps {
		dirs = append(dirs, s.dir)
	}
	return dirs
}

// nodeFolders returns the folders that may have got a node_modules folder, the top folder first.
func (p plan) nodeFolders() (dirs []string) {
	for _, file := range p.copy {
		if dir := folderOf(file); path.Base(file) == "package.json" &&
			!p.tree.known[path.Join(dir, nodeModules)] {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// A tail keeps the last 4 KiB of an output.
type tail struct {
	mu   sync.Mutex
	text []byte
	all  []byte // the first maxLog bytes
}

const tailBytes = 4 << 10

// Write always succeeds.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, b[:min(len(b), maxLog-len(t.all))]...)
	t.text = append(t.text, b[max(0, len(b)-tailBytes):]...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(b), nil
}

// String returns the last six lines, without control characters.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	plain := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(t.text), ""))
	lines := strings.Split(strings.TrimSpace(plain), "\n")
	return strings.Join(lines[max(0, len(lines)-6):], "\n")
}
